// SPDX-License-Identifier: Apache-2.0
#include "read/log/name_memo.h"

#include <string.h>

static NameFacts look_up(const NameMemo *memo, Str name)
{
    NameFacts facts = series_facts(name);
    if (memo->no_loss && facts.fallback)
        facts.loss = facts.measure = true;
    return facts;
}

// Of its first and its last eight bytes: most names are hardly longer.
static size_t slot_of(Str name)
{
    uint64_t first = 0, last = 0;
    if (name.size >= sizeof first) {
        memcpy(&first, name.data, sizeof first);
        memcpy(&last, name.data + name.size - sizeof last, sizeof last);
    } else {
        for (size_t i = 0; i < name.size; i++)
            first = first << 8 | (unsigned char)name.data[i];
    }
    uint64_t mixed = (first ^ (last << 1) ^ name.size) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) % MEMO_SLOTS;
}

NameFacts name_facts(NameMemo *memo, Str name)
{
    if (name.size == 0 || name.size > MEMO_NAME_MAX)
        return look_up(memo, name);
    struct MemoSlot *slot = &memo->slots[slot_of(name)];
    if (slot->size == name.size && memcmp(slot->name, name.data, name.size) == 0)
        return slot->facts;
    memcpy(slot->name, name.data, name.size);
    slot->size = (unsigned char)name.size;
    slot->facts = look_up(memo, name);
    return slot->facts;
}
