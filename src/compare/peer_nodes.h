// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_NODES_H
#define VERNIER_COMPARE_PEER_NODES_H

#include "compare/peer_verdict.h"
#include "model/graph.h"

// What the peer's graph comparison says of each node (spec/graph.md §3.1, §4), defects included.

typedef struct PeerNodes {
    NodeId *golden_of;            // by target node: partner or NODE_NONE
    NodeId *target_of;            // by golden node
    double *precision_index;      // by target node: 0, 0.5, 1; NaN: none
    uint8_t *status;              // by target node: Status of its items
    uint32_t *golden_micro_step;  // by golden node, as the comparison numbers them (§2.11)
} PeerNodes;

// Both graphs built with GRAPH_PEER. Nodes pair up by id and ancestors, or as `options` say (NULL:
// nothing). `metrics` gives the six cells of a pair of slots in tensor
// mode (NULL otherwise). Linear in nodes and slots.
typedef const PeerMetrics *PeerMetricsOf(void *context, uint32_t golden, uint32_t target);
typedef struct PeerMetricsSource {
    PeerMetricsOf *of;
    void *context;
} PeerMetricsSource;

void peer_nodes_compare(const Graph *golden, const Graph *target, CompareMode mode,
                        const MatchOptions *options, const PeerMetricsSource *metrics, Arena *arena,
                        PeerNodes *out);

// The mode that the graph tool sees: it finds checksums in list elements only (§4.1).
CompareMode peer_graph_mode(const Dump *golden, const Dump *target);

#endif
