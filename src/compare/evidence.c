// SPDX-License-Identifier: Apache-2.0
#include "compare/evidence.h"

#include <math.h>

#include "compare/judge/floor.h"

static bool is_number(const Slot *slot, Stat stat)
{
    double value;
    return slot_stat(slot, stat, &value) && isfinite(value);
}

static bool tells_all(const Dump *dump, const Slot *slot)
{
    if (slot->checksum != NAME_NONE)
        return true;
    double largest, smallest;
    if (!slot_stat(slot, STAT_MAX, &largest) || !slot_stat(slot, STAT_MIN, &smallest))
        return false;
    if (largest == smallest)
        return true;
    bool exact = precision_of_slot(dump->names, slot) == PRECISION_EXACT;
    return !exact && (is_number(slot, STAT_NORM) || is_number(slot, STAT_MEAN));
}

static const Slot *slot_of(const Comparison *comparison, const SlotPair *pair)
{
    return pair->golden != SLOT_NONE ? &comparison->golden->dump->slots[pair->golden]
                                     : &comparison->target->dump->slots[pair->target];
}

static bool is_taken(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR &&
           (slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS ||
            slot->group == GROUP_PARAMETERS);
}

bool evidence_tells_all(const Comparison *comparison, const SlotPair *pair)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE || pair->reason == REASON_LOST)
        return false;
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    return comparison->mode == MODE_TENSOR || (tells_all(golden, &golden->slots[pair->golden]) &&
                                               tells_all(target, &target->slots[pair->target]));
}

SameBy evidence_same_by(const Comparison *comparison)
{
    if (comparison->mode == MODE_STRUCTURE)
        return SAME_BY_STRUCTURE;
    for (uint32_t i = 0; comparison->mode != MODE_TENSOR && i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->status != STATUS_SAME || pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
            continue;
        const Slot *golden = &comparison->golden->dump->slots[pair->golden];
        const Slot *target = &comparison->target->dump->slots[pair->target];
        if (golden->kind == SLOT_TENSOR &&
            (golden->checksum == NAME_NONE || target->checksum == NAME_NONE))
            return SAME_BY_STATISTICS;
    }
    return SAME_BY_BITS;
}

InputEvidence input_evidence(const Comparison *comparison, const OpPair *op)
{
    InputEvidence out = {.unsure = SLOT_NONE};
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (!is_taken(slot_of(comparison, pair)) || pair->reason == REASON_OVERWRITTEN)
            continue;
        out.any = true;
        if (out.unsure == SLOT_NONE && !evidence_tells_all(comparison, pair))
            out.unsure = i;
    }
    return out;
}
