// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_H
#define VERNIER_COMPARE_MATCH_H

#include "base/arena.h"
#include "model/graph.h"
#include "read/dump.h"

// Pairs the ops and slots of two dumps, the nodes of two graphs.

// How pairs came about.
typedef struct MatchCounts {
    uint32_t by_name;
    uint32_t renumbered;  // same API or module, another call number
    uint32_t renamed;     // another name
} MatchCounts;

typedef struct OpMatch {
    uint32_t *golden_of;       // by target op: its partner or OP_NONE
    uint32_t *target_of;       // by golden op
    uint32_t *golden_slot_of;  // by target slot: its partner or UINT32_MAX
    MatchCounts counts;
} OpMatch;

// Golden and target. `graph` tells which module an op lies in; NULL: not known.
typedef struct MatchSides {
    const Dump *golden, *target;
    const Graph *golden_graph, *target_graph;
} MatchSides;

// Ops pair up by name; where names contradict what the ops are, and for ops that are left, by their
// order, the module they lie in and their shapes (docs/matching.md): what one side has more or calls
// otherwise costs itself and nothing else. Weight gradients pair up by module and by their order
// within the step, never by their number (spec/dump-format.md §3.2). One to one; swapped sides give
// swapped pairs. Linear in the ops when the names agree, else O(n log n + n d) with d ops that have
// no partner and d bounded.
void match_ops(const MatchSides *sides, Arena *arena, OpMatch *out);

typedef struct NodeMatch {
    NodeId *golden_of;  // by target node
    NodeId *target_of;  // by golden node
} NodeMatch;

// Nodes pair up as their ops do; modules without data and groups by id. One to one; the roots match.
void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out);

#endif
