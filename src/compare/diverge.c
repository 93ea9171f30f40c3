// SPDX-License-Identifier: Apache-2.0
#include "compare/diverge.h"

#include <math.h>

#include "compare/judge.h"
#include "compare/source.h"

static SlotGroup group_of(const Comparison *comparison, const SlotPair *pair)
{
    const Dump *dump =
        pair->target != SLOT_NONE ? comparison->target->dump : comparison->golden->dump;
    return (SlotGroup)dump->slots[pair->target != SLOT_NONE ? pair->target : pair->golden].group;
}

static bool is_result(SlotGroup group)
{
    return group == GROUP_OUTPUT || group == GROUP_GRADS || group == GROUP_DEBUG;
}

// What a differing slot says about why the runs part. The smaller number explains the op: an
// argument before a weight before an input before the computation itself.
static DivergenceKind kind_of_slot(const Comparison *comparison, const SlotPair *pair,
                                   const uint8_t *sources)
{
    SlotGroup group = group_of(comparison, pair);
    if (is_result(group))
        return DIVERGE_OUTPUT;
    int source = pair->golden != SLOT_NONE ? sources[pair->golden] : SOURCE_COMPUTED;
    if (pair->reason == REASON_ARGUMENT || source == SOURCE_ARGUMENT)
        return DIVERGE_ARGUMENT;
    if (group == GROUP_PARAMETERS || source == SOURCE_PARAMETER)
        return DIVERGE_PARAMETER;
    return DIVERGE_INPUT;
}

static int rank_of(DivergenceKind kind)
{
    static const int ranks[] = {
        [DIVERGE_NONE] = 9,  [DIVERGE_ARGUMENT] = 1, [DIVERGE_PARAMETER] = 2,
        [DIVERGE_INPUT] = 3, [DIVERGE_OUTPUT] = 4,   [DIVERGE_MISSING] = 0};
    return ranks[kind];
}

// The slot that explains the op: best kind first, then the worst status, then the file's order.
static void explain(const Comparison *comparison, const OpPair *op, const uint8_t *sources,
                    Divergence *out)
{
    int best_status = -1;
    out->kind = DIVERGE_NONE;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (!status_differs((Status)pair->status))
            continue;
        DivergenceKind kind = kind_of_slot(comparison, pair, sources);
        bool better = rank_of(kind) < rank_of(out->kind) ||
                      (kind == out->kind && (int)pair->status > best_status);
        if (!better)
            continue;
        out->kind = kind;
        out->slot = i;
        best_status = pair->status;
    }
}

// Items of debug.json have no inputs: NaN.
static double worst_input(const Comparison *comparison, const OpPair *op)
{
    double worst = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        SlotGroup group = group_of(comparison, pair);
        if (group == GROUP_DEBUG)
            return (double)NAN;
        if (!is_result(group) && isfinite(pair->norm_error))
            worst = fmax(worst, pair->norm_error);
    }
    return worst;
}

static uint32_t count_later(const Comparison *comparison, uint32_t from)
{
    uint32_t later = 0;
    for (uint32_t i = from + 1; i < comparison->op_count; i++)
        later += status_differs((Status)comparison->ops[i].status);
    return later;
}

// The first op that both sides have and that differs; PAIR_NONE if there is none.
static uint32_t first_differing(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED && status_differs((Status)op->status))
            return i;
    }
    return PAIR_NONE;
}

// How many matched ops may stand between an op that one side lacks and the op whose input differs
// because of it.
enum { MISSING_REACH = 16 };

// The run of unmatched ops that may explain a differing input at `from`: its first op, or
// PAIR_NONE.
static uint32_t missing_before(const Comparison *comparison, uint32_t from)
{
    uint32_t matched = 0, found = PAIR_NONE;
    for (uint32_t i = from; i-- > 0;) {
        bool unmatched = comparison->ops[i].status == STATUS_UNMATCHED;
        if (unmatched)
            found = i;
        else if (found != PAIR_NONE || ++matched > MISSING_REACH)
            break;
    }
    return found;
}

static uint32_t first_unmatched(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].status == STATUS_UNMATCHED)
            return i;
    return PAIR_NONE;
}

// An op that one side lacks: the op that the other side runs at the same place stands beside it, or
// else, where golden's op is the one that is gone, the op of the target at which it is first felt.
static void fill_missing(const Comparison *comparison, uint32_t at, uint32_t felt, Divergence *out)
{
    out->kind = DIVERGE_MISSING;
    out->op = at;
    bool golden_only = comparison->ops[at].target == OP_NONE;
    for (uint32_t i = at + 1; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED)
            break;
        if ((op->target == OP_NONE) != golden_only) {
            out->beside = i;
            return;
        }
    }
    if (golden_only)
        out->beside = felt;
}

void diverge_find(Comparison *comparison, const uint8_t *sources)
{
    Divergence *first = &comparison->first;
    *first =
        (Divergence){.op = PAIR_NONE, .beside = PAIR_NONE, .slot = SLOT_NONE, .noise = (double)NAN};
    uint32_t differing = first_differing(comparison);
    if (differing != PAIR_NONE) {
        first->op = differing;
        explain(comparison, &comparison->ops[differing], sources, first);
    }
    // Only a differing input that nothing before it explains can come from an op that is missing.
    uint32_t missing = differing == PAIR_NONE         ? first_unmatched(comparison)
                       : first->kind == DIVERGE_INPUT ? missing_before(comparison, differing)
                                                      : PAIR_NONE;
    if (missing != PAIR_NONE) {
        first->slot = SLOT_NONE;
        fill_missing(comparison, missing, differing, first);
    }
    if (first->kind == DIVERGE_NONE)
        return;
    const OpPair *op = &comparison->ops[first->op];
    first->later = count_later(comparison, first->op);
    if (first->slot == SLOT_NONE)
        return;
    const SlotPair *pair = &comparison->slots[first->slot];
    first->metric = (Metric)pair->metric;
    first->value = pair->error;
    if (comparison->noise_known)
        first->noise = (double)pair->floor;
    first->worst_input = worst_input(comparison, op);
}
