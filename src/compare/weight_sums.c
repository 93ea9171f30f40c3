// SPDX-License-Identifier: Apache-2.0
#include "compare/weight_sums.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"

// Steps of float32 that another order of summation changes in a Norm, and in a Mean of its scale.
// Source: convolutions of recorded runs with channels first and last, which are one step off.
#define SUM_STEPS 2

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

static bool differs_in_rounding_alone(const Comparison *comparison, const SlotPair *pair,
                                      const uint8_t *sources)
{
    if (!pair->exact || pair->reason != REASON_EXACT || pair->golden == SLOT_NONE ||
        pair->target == SLOT_NONE)
        return false;
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const Slot *golden = &dumps[0]->slots[pair->golden], *target = &dumps[1]->slots[pair->target];
    uint64_t elements = comparison->recorded[0].elements[golden->shape];
    bool near = is_weight(golden, pair, sources);
    for (int stat = 0; near && stat < STAT_COUNT; stat++)
        near = is_near(golden, target, (Stat)stat, elements);
    return near;
}

void weight_sums_pass(Comparison *comparison)
{
    const uint8_t *sources = comparison->flows[0]->source;
    if (comparison->rules != RULES_VERNIER || comparison->tolerances)
        return;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false;
        // The same numbers in another order, as of a transposed weight, give other results.
        if (op->output_status != STATUS_SAME && op->output_status != STATUS_PASS)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            changed |= differs_in_rounding_alone(comparison, &comparison->slots[k], sources) &&
                       fold_excuse(comparison, &comparison->slots[k], REASON_WEIGHT_SUMS);
        if (changed)
            fold_op(comparison, op);
    }
}
