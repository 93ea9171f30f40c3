// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_STRIP_COLUMNS_H
#define VERNIER_PICTURE_COMPARE_STRIP_COLUMNS_H

#include "picture/compare/outline.h"

// The columns of an overview strip. The forward and the backward run of one micro step share them,
// the backward run mirrored, so that each module stands under itself. A column is as wide as its
// leaves: the larger count of the two runs.

#define COLUMN_NONE UINT32_MAX
enum { SIDE_FORWARD, SIDE_BACKWARD };

typedef struct StripColumn {
    uint32_t row[2];  // tree rows by side; PAIR_NONE where a side has none
    uint32_t parent, first_child, next;
    uint32_t last_placed;  // while building: where the next backward child goes
    uint32_t leaves;
    uint32_t tier;    // 0: top
    double x, width;  // px
} StripColumn;

typedef struct StripColumns {
    StripColumn *items;
    uint32_t count, capacity;
    uint32_t *order;  // left to right, parents before children
    uint32_t root;    // holds the tops; not drawn
    uint32_t tiers[2];
} StripColumns;

// `forward` or `backward` may be NULL. The tops lie in [x, x + width). Linear in the rows.
void columns_build(const Outline *outline, const Section *forward, const Section *backward,
                   Arena *arena, StripColumns *out);
void columns_place(StripColumns *columns, double x, double width);

// Cells at least so wide (px) are drawn one by one, narrower ones as bins: the least width that
// keeps the cells of both sides within `budget`.
double columns_least_width(const StripColumns *columns, const uint32_t tiers[2], uint32_t budget);

#endif
