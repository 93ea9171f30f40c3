// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_THIN_H
#define VERNIER_PICTURE_KIT_THIN_H

#include "picture/kit/axis.h"
#include "read/log/log_part.h"

// From any number of points to a path of at most two vertices a pixel column: the smallest and the
// largest value of each column stay, in their order, so that no spike is lost
// (docs/spec/curves.md §6.5).

typedef struct ThinPlace {
    const Axis *x, *y;
    double top, bottom;  // px: values beyond are drawn at the edge
    int64_t gap;         // a larger distance of two points breaks the line
    double column;       // px of a column; 0 means 1
} ThinPlace;

typedef struct ThinPath {
    PathStep *steps;
    size_t count, capacity;
    size_t columns;  // pixel columns that hold a point
    Point *lonely;   // points with no neighbour to be joined to
    size_t lonely_count, lonely_capacity;
} ThinPath;

// NaN breaks the line, infinities are drawn at the edge. One pass over the points.
void thin_points(PointColumns points, size_t count, const ThinPlace *place, Arena *arena,
                 ThinPath *out);

#endif
