// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_SLOT_VALUES_H
#define VERNIER_COMPARE_SLOT_VALUES_H

#include "base/arena.h"
#include "read/dump/dump.h"

// A set of the tensors of one dump by what they hold: their four statistics, or their checksums
// where the dump has nothing else. Open addressing.
typedef struct ValuePlace {
    uint32_t slot;   // + 1; 0: empty
    uint32_t check;  // of the hash: tells most others apart without a look at the slot
} ValuePlace;

typedef struct SlotValues {
    const Dump *dump;
    ValuePlace *places;
    size_t mask;
} SlotValues;

// With room for all slots of a group, or of all (GROUP_COUNT); a small table stays in the cache.
void slot_values_init(SlotValues *values, const Dump *dump, SlotGroup group, Arena *arena);

// With room for `count` slots.
void slot_values_reserve(SlotValues *values, const Dump *dump, size_t count, Arena *arena);

// A slot without values is not added, and never found: a dump of structure tells nothing.
void slot_values_add(SlotValues *values, uint32_t slot);
bool slot_values_has(const SlotValues *values, const Slot *slot);

// The same, but the slot takes the place of an equal one: it is the one that is found.
void slot_values_put(SlotValues *values, uint32_t slot);
// The slot that holds what `slot` of the same dump holds, or UINT32_MAX.
uint32_t slot_values_find(const SlotValues *values, const Slot *slot);

// Whether two slots of one dump hold the same tensor, as far as it tells; false if it does not.
bool slot_values_equal(const Slot *a, const Slot *b);

uint64_t slot_values_hash(const Slot *slot);

#endif
