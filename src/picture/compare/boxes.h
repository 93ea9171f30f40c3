// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_BOXES_H
#define VERNIER_PICTURE_COMPARE_BOXES_H

#include "compare/judge/comparison.h"
#include "scene/report.h"
#include "scene/scene.h"

// Aligned nested boxes: golden left, target right, one row grid for both; the middle carries the
// output error; a dashed ghost keeps the place of an op that only the other side has.

typedef struct BoxesOptions {
    uint32_t focus;      // a row of comparison->tree; 0: the block around the first divergence
    uint32_t boxes;      // at most so many on a side; 0: 60
    uint32_t depth;      // open everything down to this depth below the focus; 0: only what matters
    Str golden, target;  // how the sides are called, or empty: their paths
} BoxesOptions;

enum { BOXES_WIDTH = 1120 };

// Linear in the tree; at most 220 boxes a side, so that a page stays below 8,000 px.
void boxes_picture(const Comparison *comparison, const BoxesOptions *options, Arena *arena,
                   Scene *out);

#endif
