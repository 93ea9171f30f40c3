// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/carried.h"

#include <math.h>
#include <string.h>

#include "compare/flow.h"
#include "compare/judge/amplify.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "read/dump/op_name.h"

// A value that is off by more than this is all noise and vouches for no other.
#define CARRIED_MOST 0.1

// So many steps of float32 the sum of all elements of a tensor rounds.
#define CARRIED_SUM 2

bool carried_errors(const Dump *golden, const Slot *b, const Slot *n, double out[STAT_COUNT])
{
    uint64_t elements = shape_elements(names_text(golden->names, b->shape));
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double x, y;
        out[stat] = 0;
        if (!slot_stat(b, (Stat)stat, &x) || !slot_stat(n, (Stat)stat, &y) || x == y ||
            (isnan(x) && isnan(y)))
            continue;
        double scale =
            fmax(floor_scale(b, (Stat)stat, elements), floor_scale(n, (Stat)stat, elements));
        if (!isfinite(x) || !isfinite(y) || scale == 0)
            return false;
        out[stat] = fabs(x - y) / scale;
    }
    return true;
}

// Rounding the result once more is no growth, nor is what adding up all its elements rounds in
// float32.
static double one_rounding(const Comparison *comparison, const Slot *slot, Stat stat)
{
    Precision own = precision_of(names_text(comparison->golden->dump->names, slot->dtype));
    bool sum = own == PRECISION_F32 && (stat == STAT_NORM || stat == STAT_MEAN);
    return (sum ? CARRIED_SUM : 0.5) * epsilon_of(own);
}

static double norm_of(const Slot *slot)
{
    double norm;
    return slot_stat(slot, STAT_NORM, &norm) && isfinite(norm) ? fabs(norm) : 0;
}

typedef struct Value {
    const Slot *golden, *target;
    double errors[STAT_COUNT];  // of elements, where these decide: one for all
} Value;

// A computed tensor that both sides hold, and how much it is off. False if by too much to say.
static bool value_of(const Comparison *comparison, const SlotPair *pair, Value *out)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return false;
    const Dump *golden = comparison->golden->dump;
    out->golden = &golden->slots[pair->golden];
    out->target = &comparison->target->dump->slots[pair->target];
    if (out->golden->kind != SLOT_TENSOR || out->target->kind != SLOT_TENSOR ||
        !carried_errors(golden, out->golden, out->target, out->errors))
        return false;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        if (pair->metric == METRIC_ELEMENTS)
            out->errors[stat] = pair->error;
        if (!(out->errors[stat] <= CARRIED_MOST))
            return false;
    }
    return true;
}

static bool vouches(const SlotPair *pair)
{
    return pair->status == STATUS_PASS && pair->reason != REASON_OVERWRITTEN;
}

// The share that an error of what goes into an op has in its result, both golden's: that of a term
// in the norm of a sum, 1 of others.
static double carried_share(const Comparison *comparison, const OpPair *op, const Slot *term,
                            const Slot *result)
{
    const Dump *golden = comparison->golden->dump;
    Str api = op_name_of(golden->names, golden->ops[op->golden].name).type_name;
    return amplify_additive(api) ? fmin(1, norm_of(term) / norm_of(result)) : 1;
}

// What a factor that was computed, as that of clipping, puts all numbers of a result off by.
static double error_of_factor(const Comparison *comparison, const OpPair *op, const SlotPair *pair)
{
    double x, y;
    if (!vouches(pair) || pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return 0;
    const Dump *golden = comparison->golden->dump;
    const Slot *a = &golden->slots[pair->golden];
    const Slot *b = &comparison->target->dump->slots[pair->target];
    Str api = op_name_of(golden->names, golden->ops[op->golden].name).type_name;
    if (a->kind != SLOT_SCALAR || b->kind != SLOT_SCALAR || !slot_stat(a, STAT_MAX, &x) ||
        !slot_stat(b, STAT_MAX, &y) || x == y || amplify_additive(api))
        return 0;
    double error = fabs(x - y) / fmax(fabs(x), fabs(y));
    return error <= CARRIED_MOST ? error : 0;
}

// The value that vouches for another, and how far off it is.
typedef struct Vouching {
    uint32_t slot;  // of Comparison.slots; SLOT_NONE: several together
    double error;
} Vouching;

static double largest_of(const double errors[STAT_COUNT])
{
    double largest = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        largest = fmax(largest, errors[stat]);
    return largest;
}

static Vouching vouching_of(Vouching a, Vouching b)
{
    return b.error > a.error ? b : a;
}

// The largest errors among what goes into the op and passes, and those of its factors. A term
// counts by its share in a sum.
static Vouching errors_of_inputs(const Comparison *comparison, const OpPair *op, const Slot *result,
                                 double out[STAT_COUNT])
{
    memset(out, 0, STAT_COUNT * sizeof *out);
    Vouching most = {SLOT_NONE, 0};
    double factors = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        Value value;
        factors += error_of_factor(comparison, op, &comparison->slots[i]);
        if (!vouches(&comparison->slots[i]) ||
            !value_of(comparison, &comparison->slots[i], &value) || slot_is_result(value.golden))
            continue;
        double share = carried_share(comparison, op, value.golden, result);
        most = vouching_of(most, (Vouching){i, share * largest_of(value.errors)});
        for (int stat = 0; stat < STAT_COUNT; stat++)
            out[stat] = fmax(out[stat], share * value.errors[stat]);
    }
    for (int stat = 0; stat < STAT_COUNT; stat++)
        out[stat] += factors;
    return factors > most.error ? (Vouching){SLOT_NONE, factors} : most;
}

// Whether no statistic is off by more than its inputs, but for a rounding.
static bool is_within(const Comparison *comparison, const Value *value,
                      const double given[STAT_COUNT])
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (value->errors[stat] > given[stat] + one_rounding(comparison, value->golden, (Stat)stat))
            return false;
    return true;
}

static bool may_carry(const SlotPair *pair)
{
    return status_differs((Status)pair->status) && !pair->exact &&
           (pair->reason == REASON_STATISTIC || pair->reason == REASON_ELEMENTS);
}

// The pair of results before it whose value it is on both sides; NULL: none.
static const SlotPair *same_before(const Comparison *comparison, const OpPair *op,
                                   const SlotPair *slot)
{
    const Flow *const *flows = comparison->flows;
    uint32_t golden = flows[0]->producer[slot->golden], target = flows[1]->producer[slot->target];
    for (uint32_t i = op->first_slot; golden != SLOT_NONE && target != SLOT_NONE && i-- > 0;)
        if (comparison->slots[i].golden == golden && comparison->slots[i].target != SLOT_NONE)
            return flow_same(flows[1], comparison->slots[i].target, target) ? &comparison->slots[i]
                                                                            : NULL;
    return NULL;
}

static bool pass_same(Comparison *comparison, const OpPair *op, SlotPair *slot)
{
    const SlotPair *before = same_before(comparison, op, slot);
    Value value;
    if (!before || !vouches(before) || !value_of(comparison, before, &value) ||
        !fold_excuse(comparison, slot, REASON_INSIDE))
        return false;
    fold_given(comparison, slot, (uint32_t)(before - comparison->slots), largest_of(value.errors));
    return true;
}

// A result is off by no more than what went into the op.
static bool pass_result(Comparison *comparison, const OpPair *op, SlotPair *slot,
                        const Value *value)
{
    double given[STAT_COUNT];
    Vouching by = errors_of_inputs(comparison, op, value->golden, given);
    if (!is_within(comparison, value, given) || !fold_excuse(comparison, slot, REASON_INHERITED))
        return false;
    fold_given(comparison, slot, by.slot, by.error);
    return true;
}

bool carried_pass(Comparison *comparison, const OpPair *op)
{
    bool any = false;
    for (int results = 0; results < 2; results++)
        for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
            SlotPair *slot = &comparison->slots[i];
            Value value;
            if (!may_carry(slot) || !value_of(comparison, slot, &value) ||
                slot_is_result(value.golden) != (results == 1))
                continue;
            any |= (results && !comparison->noise_known &&
                    pass_result(comparison, op, slot, &value)) ||
                   pass_same(comparison, op, slot);
        }
    return any;
}
