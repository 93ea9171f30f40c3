// SPDX-License-Identifier: Apache-2.0
// The tensors of a dump known again by their statistics or checksums.
#include "compare/slot_values.h"

static bool has_statistics(const Slot *slot)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (slot->tag[i] > TAG_NULL)
            return true;
    return false;
}

// A dump of structure tells no values: nothing is known again.
static bool has_values(const Slot *slot)
{
    return has_statistics(slot) || slot->checksum != NAME_NONE;
}

uint64_t slot_values_hash(const Slot *slot)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < STAT_COUNT; i++) {
        hash ^= slot->stat[i].natural + slot->tag[i];
        hash *= 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
    }
    return has_statistics(slot) ? hash : (hash ^ slot->checksum) * 0xFF51AFD7ED558CCDu;
}

static bool equal_values(const Slot *a, const Slot *b)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->tag[i] != b->tag[i] || a->stat[i].natural != b->stat[i].natural)
            return false;
    return has_statistics(a) || a->checksum == b->checksum;
}

void slot_values_init(SlotValues *values, const Dump *dump, SlotGroup group, Arena *arena)
{
    size_t count = 0;
    for (uint32_t i = 0; i < dump->slot_count; i++)
        count += group == GROUP_COUNT || dump->slots[i].group == group;
    slot_values_reserve(values, dump, count, arena);
}

void slot_values_reserve(SlotValues *values, const Dump *dump, size_t count, Arena *arena)
{
    size_t size = 64;
    while (size < count * 2)
        size *= 2;
    *values = (SlotValues){
        .dump = dump, .places = ARENA_ARRAY(arena, ValuePlace, size), .mask = size - 1};
}

// Where the slot is or would be; `hash` is slot_values_hash.
static ValuePlace *set_place(const SlotValues *values, const Slot *slot, uint64_t hash)
{
    size_t place = hash & values->mask;
    for (; values->places[place].slot; place = (place + 1) & values->mask) {
        const ValuePlace *at = &values->places[place];
        if (at->check == (uint32_t)(hash >> 32) &&
            equal_values(&values->dump->slots[at->slot - 1], slot))
            break;
    }
    return &values->places[place];
}

static void put(SlotValues *values, uint32_t slot, bool over)
{
    const Slot *record = &values->dump->slots[slot];
    if (!has_values(record))
        return;
    uint64_t hash = slot_values_hash(record);
    ValuePlace *place = set_place(values, record, hash);
    if (over || !place->slot)
        *place = (ValuePlace){slot + 1, (uint32_t)(hash >> 32)};
}

void slot_values_add(SlotValues *values, uint32_t slot)
{
    put(values, slot, false);
}

void slot_values_put(SlotValues *values, uint32_t slot)
{
    put(values, slot, true);
}

uint32_t slot_values_find(const SlotValues *values, const Slot *slot)
{
    if (!has_values(slot))
        return UINT32_MAX;
    return set_place(values, slot, slot_values_hash(slot))->slot - 1;  // empty: 0 - 1
}

bool slot_values_has(const SlotValues *values, const Slot *slot)
{
    return slot_values_find(values, slot) != UINT32_MAX;
}

bool slot_values_equal(const Slot *a, const Slot *b)
{
    return has_values(a) && has_values(b) && equal_values(a, b);
}
