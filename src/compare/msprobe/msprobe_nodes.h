// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_NODES_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_NODES_H

#include "compare/msprobe/msprobe_verdict.h"
#include "model/graph/graph.h"

// What msProbe's graph comparison says of each node (docs/spec/graph.md §3.1, §4), defects
// included.

typedef struct MsprobeNodes {
    NodeId *golden_of;            // by target node: partner or NODE_NONE
    NodeId *target_of;            // by golden node
    double *precision_index;      // by target node: 0, 0.5, 1; NaN: none
    uint8_t *status;              // by target node: Status of its items
    uint32_t *golden_micro_step;  // by golden node, as the comparison numbers them (§2.11)
} MsprobeNodes;

// Both graphs built with GRAPH_MSPROBE. Nodes pair up by id and ancestors, or as `options` say
// (NULL: nothing). `metrics` gives the six cells of a pair of slots in tensor
// mode (NULL otherwise). Linear in nodes and slots.
typedef const MsprobeMetrics *MsprobeMetricsOf(void *context, uint32_t golden, uint32_t target);
typedef struct MsprobeMetricsSource {
    MsprobeMetricsOf *of;
    void *context;
} MsprobeMetricsSource;

void msprobe_nodes_compare(const Graph *golden, const Graph *target, CompareMode mode,
                           const MatchOptions *options, const MsprobeMetricsSource *metrics,
                           Arena *arena, MsprobeNodes *out);

// The mode that the graph tool sees: it finds checksums in list elements only (§4.1).
CompareMode msprobe_graph_mode(const Dump *golden, const Dump *target);

#endif
