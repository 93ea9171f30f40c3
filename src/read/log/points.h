// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_POINTS_H
#define VERNIER_READ_LOG_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

// The points of a series as two columns, so that series of the same records share their steps.

typedef struct Point {
    int64_t x;     // step, or what Part.x_unit says
    double value;  // NaN and infinities are values; absence is point_absent()
} Point;

typedef struct PointColumns {
    int64_t *x;
    double *value;
} PointColumns;

typedef struct Points {
    PointColumns items;
    size_t count, capacity;
    bool shares_x;  // items.x belongs to others too: it is read only
} Points;

// The record of that step does not have the field: a NaN of its own bits.
static const uint64_t point_absent_bits = 0x7FF861627365746E;

static inline double point_absent(void)
{
    double value;
    memcpy(&value, &point_absent_bits, sizeof value);
    return value;
}

static inline bool point_is_absent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == point_absent_bits;
}

PointColumns point_columns(Arena *arena, size_t count);

// Room for `capacity` points that have steps of their own; those that were shared are copied.
void points_grow(Arena *arena, Points *points, size_t capacity);
void points_push(Arena *arena, Points *points, Point point);

static inline Point point_at(PointColumns columns, size_t at)
{
    return (Point){columns.x[at], columns.value[at]};
}

static inline void point_put(PointColumns columns, size_t at, Point point)
{
    columns.x[at] = point.x;
    columns.value[at] = point.value;
}

static inline PointColumns points_behind(PointColumns columns, size_t count)
{
    return (PointColumns){columns.x + count, columns.value + count};
}

#endif
