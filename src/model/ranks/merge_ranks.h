// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RANKS_MERGE_RANKS_H
#define VERNIER_MODEL_RANKS_MERGE_RANKS_H

#include "model/graph/graph.h"

// The ranks that hold one model in parts.

typedef struct MergeRanks {
    const Graph *const *graphs;  // tp × pp: that of share t in stage p is graphs[t * pp + p]; their
                                 // dumps share one table of names
    const int64_t *numbers;      // the ranks, in the same order
    size_t tp, pp, vpp;          // at least 1 each
    GraphRules rules;            // GRAPH_MSPROBE: with msProbe's losses
} MergeRanks;

#endif
