// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_HIERARCHY_PICTURE_H
#define VERNIER_LAYOUT_HIERARCHY_PICTURE_H

#include "layout/hierarchy.h"
#include "scene/report.h"
#include "scene/scene.h"

// One dump as a picture: the overview strip of its hierarchy, depth down and execution across, and
// its tree, both with overflow levels.

enum { HIERARCHY_WIDTH = 1200, HIERARCHY_MARGIN = 32 };

typedef struct HierarchyOptions {
    Str path;        // of the dump
    uint32_t depth;  // levels of the tree; 0: as deep as there is room for
    size_t rows;     // at most; 0: 64
} HierarchyOptions;

void layout_hierarchy(const Hierarchy *hierarchy, const Verdict *verdict,
                      const HierarchyOptions *options, Arena *arena, Scene *out);

#endif
