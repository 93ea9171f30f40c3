// SPDX-License-Identifier: Apache-2.0
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void array_reserve(Arena *arena, void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return;
    size_t wanted = *capacity ? *capacity + *capacity / 2 + 8 : 8;
    if (wanted > SIZE_MAX / item_size)
        wanted = SIZE_MAX / item_size;  // arena_grow then ends the program
    *items = arena_grow(arena, *items, *capacity * item_size, wanted * item_size);
    *capacity = wanted;
}

void array_reach(Arena *arena, void **items, size_t *count, size_t index, size_t item_size)
{
    if (index < *count)
        return;
    size_t wanted = index + index / 2 + 64;
    *items = arena_grow(arena, *items, *count * item_size, wanted * item_size);
    *count = wanted;
}

uint32_t *array_of_none(Arena *arena, size_t count)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, count);
    memset(ids, 0xFF, count * sizeof *ids);
    return ids;
}
