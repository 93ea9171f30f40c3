// SPDX-License-Identifier: Apache-2.0
#include "compare/weight_sums.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"

// Steps of float32 that another order of summation changes in a Norm, and in a Mean of its scale.
// Source: convolutions of recorded runs with channels first and last, which are one step off.
#define SUM_STEPS 2

// One weight in that many has other sums at the least where two platforms sum up otherwise.
// Source: sums of float32 in another order of recorded weights of 300 to 5,000 numbers: 20 to 85 %.
#define SHARE_OF_SUMS 8

// What the weights tell of how the two runs sum up.
typedef struct SumsSeen {
    size_t equal, other;  // weights of which all sums are equal; of which they are near alone
    bool several;         // of the latter there are two different ones
    double norm;          // of the first of the latter
} SumsSeen;

static bool is_near(const Slot *golden, const Slot *target, Stat stat, uint64_t elements)
{
    double b, n, scale = floor_scale(golden, stat, elements);
    if (!slot_stat(golden, stat, &b) || !slot_stat(target, stat, &n))
        return true;
    return fabs(b - n) <= SUM_STEPS * epsilon_of(PRECISION_F32) * fmax(scale, fabs(b));
}

static bool is_weight(const Slot *golden, const SlotPair *pair, const uint8_t *sources)
{
    return golden->group == GROUP_PARAMETERS || sources[pair->golden] == SOURCE_PARAMETER;
}

static bool differs_in_sums_alone(const Comparison *comparison, const SlotPair *pair,
                                  const uint8_t *sources)
{
    if (!pair->exact || pair->reason != REASON_EXACT || pair->golden == SLOT_NONE ||
        pair->target == SLOT_NONE || pair->beyond & (1U << STAT_MAX | 1U << STAT_MIN))
        return false;
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const Slot *golden = &dumps[0]->slots[pair->golden], *target = &dumps[1]->slots[pair->target];
    uint64_t elements = comparison->recorded[0].elements[golden->shape];
    return is_weight(golden, pair, sources) && is_near(golden, target, STAT_NORM, elements) &&
           is_near(golden, target, STAT_MEAN, elements);
}

static void look_at(const Comparison *comparison, const SlotPair *pair, const uint8_t *sources,
                    SumsSeen *seen)
{
    double max, min, norm = 0;
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return;
    const Slot *golden = &comparison->golden->dump->slots[pair->golden];
    if (!is_weight(golden, pair, sources) || !slot_stat(golden, STAT_MAX, &max) ||
        !slot_stat(golden, STAT_MIN, &min) || max == min)
        return;  // numbers that are all equal have the same sums in any order
    if (pair->status == STATUS_SAME) {
        seen->equal++;
        return;
    }
    if (!differs_in_sums_alone(comparison, pair, sources))
        return;
    slot_stat(golden, STAT_NORM, &norm);
    seen->several = seen->several || (seen->other > 0 && norm != seen->norm);
    seen->norm = seen->other++ == 0 ? norm : seen->norm;
}

// Whether the two runs sum up in another order, as those on two platforms do. One weight alone may
// be another weight.
static bool sums_differ(const Comparison *comparison, const uint8_t *sources)
{
    SumsSeen seen = {0};
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        look_at(comparison, &comparison->slots[i], sources, &seen);
    return seen.several && seen.other * SHARE_OF_SUMS >= seen.other + seen.equal;
}

void weight_sums_pass(Comparison *comparison)
{
    const uint8_t *sources = comparison->flows[0]->source;
    if (comparison->rules != RULES_VERNIER || comparison->tolerances ||
        !sums_differ(comparison, sources))
        return;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            changed |= differs_in_sums_alone(comparison, &comparison->slots[k], sources) &&
                       fold_excuse(comparison, &comparison->slots[k], REASON_WEIGHT_SUMS);
        if (changed)
            fold_op(comparison, op);
    }
}
