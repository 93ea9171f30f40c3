// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/carried.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "compare/judge/slot_source.h"

// A value that is off by more than this is all noise and vouches for no other.
#define CARRIED_MOST 0.1

// A result before that is to be a term of a hidden sum makes up at least this share of its norm.
#define CARRIED_SHARE 0.25

static bool is_result(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS || slot->group == GROUP_DEBUG;
}

double carried_error(const Dump *golden, const Slot *b, const Slot *n)
{
    uint64_t elements = shape_elements(names_text(golden->names, b->shape));
    double worst = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double x, y;
        if (!slot_stat(b, (Stat)stat, &x) || !slot_stat(n, (Stat)stat, &y) || x == y ||
            (isnan(x) && isnan(y)))
            continue;
        double scale =
            fmax(floor_scale(b, (Stat)stat, elements), floor_scale(n, (Stat)stat, elements));
        if (!isfinite(x) || !isfinite(y) || scale == 0)
            return (double)INFINITY;
        worst = fmax(worst, fabs(x - y) / scale);
    }
    return worst;
}

// Rounding the result once more is no growth.
static double one_rounding(const Comparison *comparison, const Slot *slot)
{
    return 0.5 * epsilon_of(precision_of(names_text(comparison->golden->dump->names, slot->dtype)));
}

static double norm_of(const Slot *slot)
{
    double norm;
    return slot_stat(slot, STAT_NORM, &norm) && isfinite(norm) ? fabs(norm) : 0;
}

typedef struct Value {
    const Slot *golden, *target;
    double error;
} Value;

// A computed tensor that both sides hold, and how much it is off.
static bool value_of(const Comparison *comparison, const SlotPair *pair, Value *out)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return false;
    const Dump *golden = comparison->golden->dump;
    out->golden = &golden->slots[pair->golden];
    out->target = &comparison->target->dump->slots[pair->target];
    if (out->golden->kind != SLOT_TENSOR || out->target->kind != SLOT_TENSOR)
        return false;
    bool elements = pair->metric == METRIC_ELEMENTS;
    out->error = elements ? pair->error : carried_error(golden, out->golden, out->target);
    return isfinite(out->error);
}

static bool vouches(const SlotPair *pair)
{
    return pair->status == STATUS_PASS && pair->reason != REASON_OVERWRITTEN;
}

// The largest error among what goes into the op and passes.
static double error_of_inputs(const Comparison *comparison, const OpPair *op)
{
    double worst = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        Value value;
        if (vouches(&comparison->slots[i]) && value_of(comparison, &comparison->slots[i], &value) &&
            !is_result(value.golden) && value.error <= CARRIED_MOST)
            worst = fmax(worst, value.error);
    }
    return worst;
}

static bool is_term(const Comparison *comparison, const SlotPair *pair, const Value *sum)
{
    Value term;
    return vouches(pair) && value_of(comparison, pair, &term) && is_result(term.golden) &&
           term.golden->shape == sum->golden->shape &&
           sum->error <= term.error + one_rounding(comparison, sum->golden) &&
           norm_of(term.golden) >= CARRIED_SHARE * norm_of(sum->golden);
}

// Whether a result of an earlier op of the same direction is off by as much as this input.
static bool has_term_before(const Comparison *comparison, uint32_t op, const Value *sum,
                            uint64_t *budget)
{
    const Dump *golden = comparison->golden->dump;
    uint8_t direction = golden->ops[comparison->ops[op].golden].direction;
    for (uint32_t at = op; at-- > 0;) {
        const OpPair *before = &comparison->ops[at];
        if (before->golden == OP_NONE || before->target == OP_NONE ||
            golden->ops[before->golden].direction != direction)
            continue;
        for (uint32_t i = 0; i < before->slot_count; i++) {
            if ((*budget)-- == 0) {
                *budget = 0;
                return false;
            }
            if (is_term(comparison, &comparison->slots[before->first_slot + i], sum))
                return true;
        }
    }
    return false;
}

static bool may_carry(const SlotPair *pair)
{
    return status_differs((Status)pair->status) && !pair->exact &&
           (pair->reason == REASON_STATISTIC || pair->reason == REASON_ELEMENTS);
}

static bool pass_inputs(Comparison *comparison, uint32_t op, const uint8_t *sources,
                        uint64_t *budget)
{
    const OpPair *pair = &comparison->ops[op];
    bool any = false;
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        SlotPair *slot = &comparison->slots[i];
        Value value;
        if (!may_carry(slot) || !value_of(comparison, slot, &value) || is_result(value.golden) ||
            sources[slot->golden] != SOURCE_COMPUTED || value.error > CARRIED_MOST ||
            !has_term_before(comparison, op, &value, budget))
            continue;
        slot->status = STATUS_PASS;
        slot->reason = REASON_CARRIED;
        any = true;
    }
    return any;
}

bool carried_pass(Comparison *comparison, uint32_t op, const uint8_t *sources, uint64_t *budget)
{
    const OpPair *pair = &comparison->ops[op];
    bool any = pass_inputs(comparison, op, sources, budget);
    double carried = error_of_inputs(comparison, pair);
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        SlotPair *slot = &comparison->slots[i];
        Value value;
        if (!may_carry(slot) || !value_of(comparison, slot, &value) || !is_result(value.golden) ||
            value.error > carried + one_rounding(comparison, value.golden))
            continue;
        slot->status = STATUS_PASS;
        slot->reason = REASON_CARRIED;
        any = true;
    }
    return any;
}
