// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_ARRAY_H
#define VERNIER_BASE_ARRAY_H

#include <stdint.h>

#include "base/arena.h"

// A growing array in an arena: a struct with the members `items`, `count` and `capacity`, e.g.
//     typedef struct Steps { int64_t *items; size_t count, capacity; } Steps;

// Makes room for one more item and counts it; the value is a pointer to the new, zeroed item.
// It is valid until the next push.
#define ARRAY_PUSH(arena, array) ARRAY_ADD(arena, (array)->items, (array)->count, (array)->capacity)
// The same where the members have other names.
#define ARRAY_ADD(arena, items, count, capacity)                                             \
    ((count) < (capacity)                                                                    \
         ? (void)0                                                                           \
         : array_reserve((arena), (void **)&(items), (count), &(capacity), sizeof *(items)), \
     &(items)[(count)++])

// For the macros alone.
void array_reserve(Arena *arena, void **items, size_t count, size_t *capacity, size_t item_size);

// The array, made to reach to `index`, new items zeroed: for what is looked up by number:
//     uint32_t *op = &ARRAY_REACH(arena, op_of_name, op_of_name_count, name)[name];
#define ARRAY_REACH(arena, items, count, index) \
    (array_reach((arena), (void **)&(items), &(count), (index), sizeof *(items)), (items))

// For the macro alone.
void array_reach(Arena *arena, void **items, size_t *count, size_t index, size_t item_size);

// `count` ids that are none: OP_NONE, SLOT_NONE, NODE_NONE and their like are all UINT32_MAX. For
// what is looked up by a NameId, `count` is names_count() + 1.
uint32_t *array_of_none(Arena *arena, size_t count);

#endif
