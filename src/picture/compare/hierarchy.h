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
    uint8_t *level;             // by tree row: Overflow of the node itself
    bool *masked;               // by tree row: its infinities are those of a mask, no overflow
    uint64_t *health;           // by tree row: a hash of both in the subtree, 0: neither
    uint32_t mask_count;        // how many are
    uint64_t unsure;            // of these, that may be no mask's; see Trail
    const uint64_t *fold_keys;  // by tree row: equal for nodes that fold into one
} Hierarchy;

// Borrows the graph. Linear in the nodes.
void hierarchy_build(const Graph *graph, Arena *arena, Hierarchy *out);

NodeId hierarchy_node(const Hierarchy *hierarchy, uint32_t row);

// As graph_mark_overflow says, but for the -Inf of masks, which is none: ops whose only infinities
// are -Inf and that trail_follow finds healthy. What makes a NaN of a mask is critical.
Overflow hierarchy_level(const Hierarchy *hierarchy, uint32_t row);

// The node with the worst level, of equal ones the first in execution order, and of a module and
// what is in it the latter; PAIR_NONE: all are free of overflow.
uint32_t hierarchy_first_overflow(const Hierarchy *hierarchy);

// One line of the tree: a section's heading, a node that stands for itself and `repeats` - 1 in the
// same way siblings after it, or the heading of a sequence of `period` siblings that comes
// `repeats` times. What is inside of the first stands below it.
typedef struct HierarchyRow {
    const Section *section;  // of a heading, else NULL; `repeats` micro steps have an equal one
    uint32_t row, last;      // tree rows: the first and the last of the repeats, or of the sequence
    uint32_t repeats, depth;
    uint32_t period;          // 0: no sequence
    const uint32_t *members;  // tree rows: first the repeats of one node, or the first sequence;
                              // then the same in all repeats of what encloses the row
    uint32_t member_count;
} HierarchyRow;

typedef struct HierarchyRows {
    HierarchyRow *items;
    size_t count, capacity;
    size_t cut;      // nodes left out for want of room
    uint32_t depth;  // levels that are shown
} HierarchyRows;

typedef struct HierarchyLimits {
    size_t rows, most;  // opened as deep as `rows` allow; what one level or `depth` has beyond them
                        // is kept up to `most`
    uint32_t depth;     // levels to open; 0: as `rows` allow
} HierarchyLimits;

// Linear in the nodes but for the length of the longest sequence that is looked for.
void hierarchy_rows(const Hierarchy *hierarchy, const HierarchyLimits *limits, Arena *arena,
                    HierarchyRows *out);

#endif
