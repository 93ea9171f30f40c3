// SPDX-License-Identifier: Apache-2.0
#include "compare/weight_sums.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "compare/judge/slot_source.h"
#include "compare/sum_up.h"

// Steps of float32 that another order of summation changes in a Norm, and in a Mean of its scale.
// Source: convolutions of recorded runs with channels first and last, which are one step off.
#define SUM_STEPS 2

static bool is_fine(const Dump *dump, const Slot *slot)
{
    Precision own = precision_of_slot(dump->names, slot);
    return own == PRECISION_F32 || own == PRECISION_F64;
}

// Only such tensors have other orders in memory.
static bool has_channels(const Dump *dump, const Slot *slot)
{
    enum { COMMAS_MIN = 3 };
    Str shape = names_text(dump->names, slot->shape);
    int commas = 0;
    for (size_t i = 0; i < shape.size; i++)
        commas += shape.data[i] == ',';
    return commas >= COMMAS_MIN;
}

static bool is_near(const Slot *golden, const Slot *target, Stat stat, uint64_t elements)
{
    double b, n, scale = floor_scale(golden, stat, elements);
    if (!slot_stat(golden, stat, &b) || !slot_stat(target, stat, &n))
        return true;
    return fabs(b - n) <= SUM_STEPS * epsilon_of(PRECISION_F32) * fmax(scale, fabs(b));
}

static bool is_same_weight(const Comparison *comparison, const SlotPair *pair,
                           const uint8_t *sources)
{
    if (!pair->exact || pair->reason != REASON_EXACT || pair->golden == SLOT_NONE ||
        pair->target == SLOT_NONE || pair->beyond & (1U << STAT_MAX | 1U << STAT_MIN))
        return false;
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const Slot *golden = &dumps[0]->slots[pair->golden], *target = &dumps[1]->slots[pair->target];
    uint64_t elements = comparison->recorded[0].elements[golden->shape];
    bool weight = golden->group == GROUP_PARAMETERS || sources[pair->golden] == SOURCE_PARAMETER;
    return weight && has_channels(dumps[0], golden) && is_fine(dumps[0], golden) &&
           is_fine(dumps[1], target) && is_near(golden, target, STAT_NORM, elements) &&
           is_near(golden, target, STAT_MEAN, elements);
}

void weight_sums_pass(Comparison *comparison, const uint8_t *sources)
{
    if (comparison->rules != RULES_VERNIER || comparison->tolerances)
        return;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false,
             agrees = op->output_status == STATUS_SAME || op->output_status == STATUS_PASS;
        if (!op_has_both(op) || !agrees ||
            comparison->golden->dump->ops[op->golden].direction != DIR_FORWARD)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            SlotPair *pair = &comparison->slots[k];
            if (!is_same_weight(comparison, pair, sources))
                continue;
            pair->status = STATUS_PASS;
            pair->reason = REASON_NONE;
            changed = true;
        }
        if (changed)
            sum_up_op(comparison, op);
    }
}
