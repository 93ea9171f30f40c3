// SPDX-License-Identifier: Apache-2.0
#include "compare/match_slots.h"

#include <string.h>

#define SLOT_FREE UINT32_MAX

typedef struct SlotMatcher {
    const Dump *golden, *target;
    const NameId *golden_name;  // by target NameId: the same text among golden's names
    bool *used;                 // by golden slot
    uint32_t *golden_of;        // by target slot
} SlotMatcher;

// Keyword and positional inputs of one name are the same place: both are shown as .input.<name>.
static int place_group(const Slot *slot)
{
    return slot->group == GROUP_KWARGS ? GROUP_INPUT : slot->group;
}

static void pair_slot(SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    matcher->golden_of[target] = golden;
    matcher->used[golden] = true;
}

static bool same_place(const SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    const Slot *b = &matcher->golden->slots[golden], *n = &matcher->target->slots[target];
    return !matcher->used[golden] && b->path == matcher->golden_name[n->path] &&
           place_group(b) == place_group(n);
}

// `hint` is looked at first.
static uint32_t find_same_place(const SlotMatcher *matcher, const Op *golden, uint32_t target,
                                uint32_t hint)
{
    if (matcher->golden_name[matcher->target->slots[target].path] == NAME_NONE)
        return SLOT_FREE;
    if (hint < golden->slot_count && same_place(matcher, golden->first_slot + hint, target))
        return golden->first_slot + hint;
    for (uint32_t i = 0; i < golden->slot_count; i++)
        if (same_place(matcher, golden->first_slot + i, target))
            return golden->first_slot + i;
    return SLOT_FREE;
}

static void match_op(SlotMatcher *matcher, const Op *golden, const Op *target)
{
    for (uint32_t i = 0; i < target->slot_count; i++) {
        uint32_t slot = target->first_slot + i;
        uint32_t found = find_same_place(matcher, golden, slot, i);
        if (found != SLOT_FREE)
            pair_slot(matcher, found, slot);
    }
}

void match_slots(const MatchSides *sides, Arena *arena, OpMatch *out)
{
    const Dump *golden = sides->golden, *target = sides->target;
    Arena *scratch = arena_new();
    SlotMatcher matcher = {.golden = golden,
                           .target = target,
                           .golden_name = names_translate(target->names, golden->names, scratch),
                           .used = ARENA_ARRAY(scratch, bool, (size_t)golden->slot_count + 1),
                           .golden_of =
                               ARENA_ARRAY(arena, uint32_t, (size_t)target->slot_count + 1)};
    memset(matcher.golden_of, 0xFF, target->slot_count * sizeof *matcher.golden_of);
    for (uint32_t i = 0; i < target->op_count; i++)
        if (out->golden_of[i] != OP_NONE)
            match_op(&matcher, &golden->ops[out->golden_of[i]], &target->ops[i]);
    out->golden_slot_of = matcher.golden_of;
    arena_release(scratch);
}
