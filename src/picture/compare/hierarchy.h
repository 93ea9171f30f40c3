// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_HIERARCHY_H
#define VERNIER_PICTURE_COMPARE_HIERARCHY_H

#include "picture/compare/outline.h"

// The hierarchy of one dump for its picture: overflow levels summed up, repeats folded, cut to a
// number of rows.

enum { LEVEL_COUNT = OVERFLOW_COUNT };

typedef struct Hierarchy {
    const Graph *graph;     // with overflow levels
    Comparison comparison;  // of the graph with itself: the views of comparisons work on that
    Outline outline;
    uint32_t (
        *levels)[LEVEL_COUNT];  // by tree row: ops of the subtree by Overflow, itself included
} Hierarchy;

// Borrows the graph. Linear in the nodes.
void hierarchy_build(const Graph *graph, int64_t step, int64_t rank, Arena *arena, Hierarchy *out);

NodeId hierarchy_node(const Hierarchy *hierarchy, uint32_t row);
Overflow hierarchy_level(const Hierarchy *hierarchy, uint32_t row);

// The node with the worst level, of equal ones the first in execution order; PAIR_NONE: all are
// free of overflow.
uint32_t hierarchy_first_overflow(const Hierarchy *hierarchy);

// One line of the tree: a section's heading, or a node that stands for itself and `repeats` - 1
// alike siblings after it.
typedef struct HierarchyRow {
    const Section *section;  // of a heading, else NULL
    uint32_t row, last;      // tree rows: the first and the last of the repeats
    uint32_t repeats, depth;
} HierarchyRow;

typedef struct HierarchyRows {
    HierarchyRow *items;
    size_t count, capacity;
    size_t cut;  // nodes left out for want of room
    uint32_t depth;
} HierarchyRows;

typedef struct HierarchyLimits {
    size_t rows, most;  // opened as deep as `rows` allow; what one level or `depth` has beyond them
                        // is kept up to `most`
    uint32_t depth;     // levels to open; 0: as `rows` allow
} HierarchyLimits;

// Linear in the nodes.
void hierarchy_rows(const Hierarchy *hierarchy, const HierarchyLimits *limits, Arena *arena,
                    HierarchyRows *out);

#endif
