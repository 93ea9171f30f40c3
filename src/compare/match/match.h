// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_H
#define VERNIER_COMPARE_MATCH_MATCH_H

#include "base/arena.h"
#include "compare/match/match_pairs.h"

// Pairs the ops and slots of two dumps, the nodes of two graphs.

// Ops pair up by name; where names contradict what the ops are, and for ops that are left, by their
// order, the module they lie in and their shapes (docs/matching.md): what one side has more or
// calls otherwise costs itself and nothing else.
//
// Weight gradients pair up by module and by their
// order within the step, never by their number (docs/spec/dump-format.md §3.2). One to one; swapped
// sides give swapped pairs. Linear in the ops when the names agree, else O(n log n + n d) with d
// ops that have no partner and d bounded.
// Between MindSpore and another framework names are compared in the spelling of PyTorch, and
// modules without their class.
void match_ops(const MatchSides *sides, const MatchOptions *options, Arena *arena, OpMatch *out);

typedef struct NodeMatch {
    NodeId *golden_of;  // by target node
    NodeId *target_of;  // by golden node
} NodeMatch;

// Nodes pair up as their ops do; modules without data by name, groups by what they hold. One to
// one; the roots match.
void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out);

#endif
