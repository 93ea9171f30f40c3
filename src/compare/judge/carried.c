// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/carried.h"

#include <math.h>
#include <string.h>

#include "compare/judge/amplify.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "compare/judge/slot_source.h"
#include "compare/slot_values.h"
#include "read/dump/op_name.h"

// A value that is off by more than this is all noise and vouches for no other.
#define CARRIED_MOST 0.1

// A result before that is to be a term of a hidden sum makes up at least this share of its norm.
#define CARRIED_SHARE 0.25

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

double carried_share(const Comparison *comparison, const OpPair *op, const Slot *term,
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

// Whether no statistic is off by more than what it was given, but for a rounding.
static bool is_within(const Comparison *comparison, const Value *value,
                      const double given[STAT_COUNT])
{
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (value->errors[stat] > given[stat] + one_rounding(comparison, value->golden, (Stat)stat))
            return false;
    return true;
}

static bool is_term(const Comparison *comparison, const SlotPair *pair, const Value *sum)
{
    Value term;
    return vouches(pair) && value_of(comparison, pair, &term) && slot_is_result(term.golden) &&
           term.golden->shape == sum->golden->shape && is_within(comparison, sum, term.errors) &&
           norm_of(term.golden) >= CARRIED_SHARE * norm_of(sum->golden);
}

// The result of an earlier backward op that is off by as much as this gradient: they are added up
// between two calls. Forward nothing is.
static uint32_t term_before(const Comparison *comparison, uint32_t op, const Value *sum,
                            uint64_t *budget)
{
    const Dump *golden = comparison->golden->dump;
    if (golden->ops[comparison->ops[op].golden].direction != DIR_BACKWARD)
        return SLOT_NONE;
    for (uint32_t at = op; at-- > 0;) {
        const OpPair *before = &comparison->ops[at];
        if (before->golden == OP_NONE || before->target == OP_NONE ||
            golden->ops[before->golden].direction != DIR_BACKWARD)
            continue;
        for (uint32_t i = 0; i < before->slot_count; i++) {
            if ((*budget)-- == 0) {
                *budget = 0;
                return SLOT_NONE;
            }
            if (is_term(comparison, &comparison->slots[before->first_slot + i], sum))
                return before->first_slot + i;
        }
    }
    return SLOT_NONE;
}

// A pair among those from `from` on that is the same on both sides, to the bit, and passes.
static uint32_t passes_among(const Comparison *comparison, const SlotPair *pair, uint32_t from,
                             uint32_t to, uint64_t *budget)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    for (uint32_t i = to; i-- > from;) {
        const SlotPair *other = &comparison->slots[i];
        if ((*budget)-- == 0) {
            *budget = 0;
            return SLOT_NONE;
        }
        if (vouches(other) && other->golden != SLOT_NONE && other->target != SLOT_NONE &&
            slot_values_equal(&golden->slots[other->golden], &golden->slots[pair->golden]) &&
            slot_values_equal(&target->slots[other->target], &target->slots[pair->target]))
            return i;
    }
    return SLOT_NONE;
}

// Of a result of a module: that of an op within it, which the dump may list after it.
static uint32_t result_within(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                              uint64_t *budget)
{
    const Op *golden = &comparison->golden->dump->ops[op->golden];
    uint32_t behind = op->first_slot + op->slot_count;
    if (golden->kind != OP_MODULE)
        return SLOT_NONE;
    uint32_t found = passes_among(comparison, pair, 0, op->first_slot, budget);
    if (found == SLOT_NONE && golden->direction == DIR_BACKWARD)
        found = passes_among(comparison, pair, behind, comparison->slot_count, budget);
    return found;
}

static bool may_carry(const SlotPair *pair)
{
    return status_differs((Status)pair->status) && !pair->exact &&
           (pair->reason == REASON_STATISTIC || pair->reason == REASON_ELEMENTS);
}

// Excuses a pair for which `slot` vouches, if there is one.
static bool excuse(Comparison *comparison, SlotPair *pair, Reason rule, uint32_t slot)
{
    if (slot == SLOT_NONE || !fold_excuse(comparison, pair, rule))
        return false;
    Value value;
    value_of(comparison, &comparison->slots[slot], &value);
    fold_given(comparison, pair, slot, largest_of(value.errors));
    return true;
}

static bool pass_input(Comparison *comparison, uint32_t op, SlotPair *slot, const Value *value,
                       uint64_t *budget)
{
    uint32_t first = comparison->ops[op].first_slot;
    return excuse(comparison, slot, REASON_INSIDE,
                  passes_among(comparison, slot, 0, first, budget)) ||
           excuse(comparison, slot, REASON_SUMMED, term_before(comparison, op, value, budget));
}

static bool pass_result(Comparison *comparison, const OpPair *op, SlotPair *slot,
                        const Value *value, uint64_t *budget)
{
    double given[STAT_COUNT];
    Vouching by = errors_of_inputs(comparison, op, value->golden, given);
    if (!is_within(comparison, value, given) || !fold_excuse(comparison, slot, REASON_INHERITED))
        return excuse(comparison, slot, REASON_INSIDE, result_within(comparison, op, slot, budget));
    fold_given(comparison, slot, by.slot, by.error);
    return true;
}

bool carried_pass(Comparison *comparison, uint32_t op, const uint8_t *sources, uint64_t *budget)
{
    const OpPair *pair = &comparison->ops[op];
    bool any = false;
    for (int results = 0; results < 2; results++)
        for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
            SlotPair *slot = &comparison->slots[i];
            Value value;
            if (!may_carry(slot) || !value_of(comparison, slot, &value) ||
                slot_is_result(value.golden) != (results == 1))
                continue;
            if (results)
                any |= pass_result(comparison, pair, slot, &value, budget);
            else
                any |= sources[slot->golden] == SOURCE_COMPUTED &&
                       pass_input(comparison, op, slot, &value, budget);
        }
    return any;
}
