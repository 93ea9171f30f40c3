// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_PAIRS_H
#define VERNIER_COMPARE_MATCH_MATCH_PAIRS_H

#include "model/graph/graph.h"
#include "read/settings/mapping_file.h"

// What matching takes and gives.

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

// What the user says of names; all zero: nothing. Each file as read/settings/mapping_file.h gives
// it, or NULL.
typedef struct MatchOptions {
    bool fuzzy;                  // call numbers never count
    const NameMapping *data;     // rows
    const NameMapping *cells;    // modules
    const ApiMapping *apis;      // APIs and the order of their arguments
    const LayerMapping *layers;  // modules, by the class of the layer they lie in
    bool by_layers;              // a layer mapping was asked for, with or without a file
    bool by_cells, by_apis;      // likewise; only the rules of msprobe need to know
} MatchOptions;

// Golden is side 0, the target side 1.
typedef struct MatchSide {
    const Dump *dump;
    const Graph *graph;  // NULL: which module an op lies in is not known
} MatchSide;

#endif
