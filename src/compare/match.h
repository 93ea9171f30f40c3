// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_H
#define VERNIER_COMPARE_MATCH_H

#include "base/arena.h"
#include "model/graph.h"
#include "read/dump.h"
#include "read/mapping.h"

// Pairs the ops and slots of two dumps, the nodes of two graphs.

// How pairs came about.
typedef struct MatchCounts {
    uint32_t by_name;
    uint32_t renumbered;  // same API or module, another call number
    uint32_t renamed;     // another name
    uint32_t mapped;      // as the data mapping says
} MatchCounts;

typedef struct OpMatch {
    uint32_t *golden_of;       // by target op: its partner or OP_NONE
    uint32_t *target_of;       // by golden op
    uint32_t *golden_slot_of;  // by target slot: its partner or UINT32_MAX
    NodeId *golden_node_of;    // by target node: the module of its name, or NULL: names are equal
    MatchCounts counts;
} OpMatch;

// Golden and target. `graph` tells which module an op lies in; NULL: not known.
typedef struct MatchSides {
    const Dump *golden, *target;
    const Graph *golden_graph, *target_graph;
} MatchSides;

// What the user says of names; all zero: nothing. Each file as read/mapping.h gives it, or NULL.
typedef struct MatchOptions {
    bool fuzzy;                  // call numbers never count
    const NameMapping *data;     // rows
    const NameMapping *cells;    // modules
    const ApiMapping *apis;      // APIs and the order of their arguments
    const LayerMapping *layers;  // modules, by the class of the layer they lie in
    bool by_layers;              // a layer mapping was asked for, with or without a file
    bool by_cells, by_apis;      // likewise; only the rules of msprobe need to know
} MatchOptions;

// Ops pair up by name; where names contradict what the ops are, and for ops that are left, by their
// order, the module they lie in and their shapes (docs/matching.md): what one side has more or calls
// otherwise costs itself and nothing else. Weight gradients pair up by module and by their order
// within the step, never by their number (spec/dump-format.md §3.2). One to one; swapped sides give
// swapped pairs. Linear in the ops when the names agree, else O(n log n + n d) with d ops that have
// no partner and d bounded.
// Between MindSpore and another framework names are compared in the spelling of PyTorch, and modules
// without their class.
void match_ops(const MatchSides *sides, const MatchOptions *options, Arena *arena, OpMatch *out);

typedef struct NodeMatch {
    NodeId *golden_of;  // by target node
    NodeId *target_of;  // by golden node
} NodeMatch;

// Nodes pair up as their ops do; modules without data by name, groups by what they hold. One to one; the roots match.
void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out);

#endif
