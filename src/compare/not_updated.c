// SPDX-License-Identifier: Apache-2.0
#include "compare/not_updated.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"

// So many steps of the type, over all statistics: those before and after are each rounded by half a
// step, and noise of an update that leaves none of them is as large as the update.
#define MOVED_STEPS 4
// A mean near zero moves by many of its own steps where a single element moves by one: a step of it
// is that of as many elements as large as the largest.
#define MOVED_ELEMENTS 4

// A weight in float32 of a run that computes in 16 bits has a floor that its whole update hides in.
static bool is_masked(const Comparison *comparison, const SlotPair *pair)
{
    double fine = floor_default(STAT_MAX, PRECISION_F32, PRECISION_F32);
    return !comparison->tolerances && !comparison->noise_known && (double)pair->floor > fine;
}

bool not_updated_asked(const Comparison *comparison, const SlotPair *pair, const uint8_t *sources)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE || pair->status != STATUS_PASS ||
        !rule_on(comparison->without, RULE_NOT_UPDATED) ||
        sources[pair->golden] != SOURCE_PARAMETER)
        return false;
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    Precision a = precision_of_slot(golden->names, &golden->slots[pair->golden]);
    Precision b = precision_of_slot(target->names, &target->slots[pair->target]);
    return a == b && (precision_is_half(a) || (a == PRECISION_F32 && is_masked(comparison, pair)));
}

static const Slot *slot_before(SlotsBefore *before, const Dump *dump, uint32_t op, const Slot *slot)
{
    return slot_before_find(
        before, slot_before_op(before->graph, names_text(dump->names, dump->ops[op].name)),
        names_text(dump->names, slot->path), names_text(dump->names, slot->shape));
}

static bool is_unmoved(const Slot *before, const Slot *now)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double was, is;
        if (!slot_stat(before, (Stat)stat, &was) || !slot_stat(now, (Stat)stat, &is) || was != is)
            return false;
    }
    return true;
}

// How many steps golden's moved, from where the target's is.
static double moved_steps(const Slot *before, const Slot *now, const Slot *target, Stat stat,
                          Precision precision, uint64_t elements)
{
    double was, is, stands, epsilon = epsilon_of(precision);
    if (!slot_stat(before, stat, &was) || !slot_stat(now, stat, &is) ||
        !slot_stat(target, stat, &stands))
        return 0;
    double moved = fabs(is - was), step = floor_step(fmax(fabs(is), fabs(was)), epsilon);
    if (stat == STAT_MEAN && elements)
        step = fmax(step, MOVED_ELEMENTS * epsilon * floor_scale(now, STAT_MAX, elements) /
                              (double)elements);
    return moved > 0 && fabs(stands - was) <= moved / 2 ? moved / step : 0;
}

static bool is_left(const Comparison *comparison, const OpPair *op, const SlotPair *pair,
                    SlotsBefore before[2])
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    const Slot *now[2] = {&golden->slots[pair->golden], &target->slots[pair->target]};
    const Slot *old[2] = {slot_before(&before[0], golden, op->golden, now[0]),
                          slot_before(&before[1], target, op->target, now[1])};
    if (!old[0] || !old[1] || !is_unmoved(old[1], now[1]))
        return false;
    Precision precision = precision_of_slot(golden->names, now[0]);
    uint64_t elements = shape_elements(names_text(golden->names, now[0]->shape));
    double moved = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        moved += moved_steps(old[0], now[0], old[1], (Stat)stat, precision, elements);
    return moved >= MOVED_STEPS;
}

bool not_updated_mark(const Comparison *comparison, const OpPair *op, SlotPair *pair,
                      SlotsBefore before[2])
{
    if (!is_left(comparison, op, pair, before))
        return false;
    fold_accuse(pair, STATUS_ERROR, REASON_EXACT);
    pair->exact = pair->not_updated = true;
    pair->floor = 0;
    return true;
}
