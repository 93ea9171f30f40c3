// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TREE_ALIGN_H
#define VERNIER_COMPARE_TREE_ALIGN_H

#include "compare/judge/comparison.h"

// Both hierarchies as one tree (docs/spec/graph.md §7.4): pre-order of the target; a node that only
// golden has stands after its nearest preceding sibling that is matched, or first. Fills `tree`
// with statuses, counts and roll-ups. Needs ops and node partners. Linear in the nodes.
void align_trees(Comparison *comparison, Arena *arena);

// The tree of one dump as that of a comparison with itself: ops, nodes and rows without statuses.
void align_itself(const Graph *graph, Arena *arena, Comparison *out);

#endif
