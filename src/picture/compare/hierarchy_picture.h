// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_HIERARCHY_PICTURE_H
#define VERNIER_PICTURE_COMPARE_HIERARCHY_PICTURE_H

#include "picture/compare/graph_picture.h"
#include "picture/compare/hierarchy.h"
#include "scene/report.h"
#include "scene/scene.h"

// One dump as a picture: the overview strip of its hierarchy, depth down and execution across, and
// its tree, both with overflow levels.

typedef struct HierarchyOptions {
    Str path;          // of the dump
    Str all_nodes;     // the file that holds every node, or empty
    uint32_t depth;    // levels of the tree; 0: as deep as there is room for on a ticket
    size_t page_rows;  // of the tree on a page; 0: GRAPH_PAGE_ROWS
} HierarchyOptions;

// 1,200 px wide. A tree longer than a page goes on in Scene.next, on GRAPH_PAGES pages at most.
void hierarchy_picture(const Hierarchy *hierarchy, const HierarchyOptions *options, Arena *arena,
                       Scene *out);

#endif
