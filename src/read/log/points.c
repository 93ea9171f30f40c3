// SPDX-License-Identifier: Apache-2.0
#include "read/log/points.h"

#include <string.h>

PointColumns point_columns(Arena *arena, size_t count)
{
    return (PointColumns){ARENA_ARRAY(arena, int64_t, count + 1),
                          ARENA_ARRAY(arena, double, count + 1)};
}

void points_grow(Arena *arena, Points *points, size_t capacity)
{
    PointColumns *items = &points->items;
    capacity = capacity > points->capacity ? capacity : points->capacity;
    if (points->shares_x) {
        int64_t *own = ARENA_ARRAY(arena, int64_t, capacity + 1);
        memcpy(own, items->x, points->count * sizeof *own);
        items->x = own;
    } else {
        items->x = arena_grow_bare(arena, items->x, points->capacity * sizeof *items->x,
                                   capacity * sizeof *items->x);
    }
    items->value = arena_grow_bare(arena, items->value, points->capacity * sizeof *items->value,
                                   capacity * sizeof *items->value);
    points->shares_x = false;
    points->capacity = capacity;
}

void points_push(Arena *arena, Points *points, Point point)
{
    if (points->count == points->capacity || points->shares_x)
        points_grow(arena, points, points->count < 4 ? 8 : 2 * points->count);
    point_put(points->items, points->count++, point);
}
