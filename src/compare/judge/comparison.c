// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/comparison.h"

#include <math.h>

#include "base/array.h"

// An op that one side does not have weighs less than one that is wrong.
int status_severity(Status status)
{
    static const int severities[STATUS_COUNT] = {
        [STATUS_NO_DATA] = 0, [STATUS_SAME] = 1,      [STATUS_PASS] = 2,
        [STATUS_WARNING] = 3, [STATUS_UNMATCHED] = 4, [STATUS_ERROR] = 5};
    return severities[status];
}

Status status_worst(Status a, Status b)
{
    return status_severity(a) >= status_severity(b) ? a : b;
}

bool status_differs(Status status)
{
    return status >= STATUS_WARNING;
}

const char *status_word(Status status)
{
    static const char *const words[STATUS_COUNT] = {
        [STATUS_NO_DATA] = "no data", [STATUS_SAME] = "same",   [STATUS_PASS] = "pass",
        [STATUS_WARNING] = "warning", [STATUS_ERROR] = "error", [STATUS_UNMATCHED] = "unmatched"};
    return words[status];
}

const char *divergence_word(DivergenceKind kind)
{
    static const char *const words[] = {
        [DIVERGE_NONE] = "none",         [DIVERGE_OUTPUT] = "output",
        [DIVERGE_ARGUMENT] = "argument", [DIVERGE_PARAMETER] = "parameter",
        [DIVERGE_INPUT] = "input",       [DIVERGE_MISSING] = "missing"};
    return words[kind];
}

static bool on_side(SlotGroup group, OpSide side)
{
    return group_is_result(group) == (side == OP_OUTPUTS);
}

// NaN and Inf before what no number tells, before numbers.
static bool slot_is_worse(const SlotPair *a, const SlotPair *b)
{
    if (a->status != b->status)
        return status_worst((Status)a->status, (Status)b->status) == (Status)a->status;
    bool a_told = isfinite(a->error) && a->reason != REASON_ARGUMENT;
    bool b_told = isfinite(b->error) && b->reason != REASON_ARGUMENT;
    if (!a_told || !b_told)
        return !a_told && b_told;
    return a->error > b->error;
}

const SlotPair *comparison_worst_slot(const Comparison *comparison, const OpPair *pair, OpSide side)
{
    const SlotPair *worst = NULL;
    for (uint32_t i = 0; i < pair->slot_count; i++) {
        const SlotPair *slot = &comparison->slots[pair->first_slot + i];
        if (!on_side((SlotGroup)shown_slot(comparison, slot)->group, side))
            continue;
        if (!worst || slot_is_worse(slot, worst))
            worst = slot;
    }
    return worst;
}

uint32_t *pairs_by_op(const Comparison *comparison, int side, Arena *arena)
{
    uint32_t *pairs = array_of_none(arena, comparison_graph(comparison, side)->dump->op_count);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (op_on_side(&comparison->ops[i], side) != OP_NONE)
            pairs[op_on_side(&comparison->ops[i], side)] = i;
    return pairs;
}

const char *compare_mode_word(CompareMode mode)
{
    static const char *const words[MODE_COUNT] = {[MODE_STATISTICS] = "statistics",
                                                  [MODE_CHECKSUM] = "checksum",
                                                  [MODE_TENSOR] = "tensor",
                                                  [MODE_STRUCTURE] = "structure"};
    return words[mode];
}

const char *rules_word(Rules rules)
{
    static const char *const words[RULES_COUNT] = {[RULES_VERNIER] = "vernier",
                                                   [RULES_MSPROBE26] = "msprobe26",
                                                   [RULES_MSPROBE8] = "msprobe8"};
    return words[rules];
}
