// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/nonfinite_alone.h"

#include "compare/nonfinite/trail.h"

// By slot of the target: golden records a number in its place.
static bool *recorded_by_golden(const Comparison *comparison, Arena *scratch)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    bool *out = ARENA_ARRAY(scratch, bool, (size_t)target->slot_count + 1);
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        double value;
        if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
            continue;
        const Slot *slot = &golden->slots[pair->golden];
        bool found = slot->tag[STAT_MAX] == TAG_REAL;
        for (int stat = 0; stat < STAT_COUNT && !found; stat++)
            found = nonfinite_stat(golden, slot, (Stat)stat, &value);
        out[pair->target] = found;
    }
    return out;
}

static bool any_nonfinite(const Dump *dump, const bool *recorded)
{
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (!recorded[i] && nonfinite_of(dump, &dump->slots[i]))
            return true;
    return false;
}

static void add(const Dump *dump, uint32_t op, uint32_t slot, Arena *arena, NonfiniteAlone *out)
{
    if (out->count++)
        return;
    out->kind = nonfinite_of(dump, &dump->slots[slot]);
    out->first = str_printf(arena, STR_FMT ", " STR_FMT,
                            STR_ARG(names_text(dump->names, dump->ops[op].name)),
                            STR_ARG(names_text(dump->names, dump->slots[slot].path)));
}

NonfiniteAlone nonfinite_alone(const Comparison *comparison, Arena *arena)
{
    NonfiniteAlone out = {0};
    const Dump *dump = comparison->target->dump;
    if (!nonfinite_any(dump))
        return out;
    Arena *scratch = arena_new();
    const bool *recorded = recorded_by_golden(comparison, scratch);
    Trail trail = {.rank = comparison->rank};
    if (any_nonfinite(dump, recorded))
        trail_follow(dump, comparison->target, scratch, &trail);
    for (uint32_t i = 0; trail.marks && i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        // The order of gradients is none, so no trail follows them.
        if (op->kind != OP_GRADS && trail.marks[i] < TRAIL_INF)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (!recorded[k] && nonfinite_of(dump, &dump->slots[k]))
                add(dump, i, k, arena, &out);
    }
    arena_release(scratch);
    return out;
}
