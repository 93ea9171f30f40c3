// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RANKS_MERGE_RANKS_H
#define VERNIER_MODEL_RANKS_MERGE_RANKS_H

#include "model/graph/graph.h"

// The ranks that hold one model in parts.

typedef struct MergeRanks {
    const Graph *const *graphs;  // batches × tp × pp: that of part b of the batch, share t, stage p
                                 // is graphs[(b * tp + t) * pp + p]; their dumps share one table of
                                 // names
    const int64_t *numbers;      // the ranks, in the same order
    const size_t *experts;       // which part of the experts each holds, below ep
    size_t tp, pp, vpp;          // at least 1 each
    size_t batches, ep;          // ranks with other tokens; how many of them hold all experts
    size_t cp;                   // how many of them have parts of one sequence
    bool mean;         // the loss of each is the mean of its own tokens: gradients count by
                       // 1 / batches
    GraphRules rules;  // GRAPH_MSPROBE: with msProbe's losses
} MergeRanks;

// Whether the id is that of an expert, or of what holds all of a rank's; not of a shared one.
bool merge_is_expert(Str id);

static inline size_t merge_ranks_count(const MergeRanks *ranks)
{
    return ranks->batches * ranks->tp * ranks->pp;
}

#endif
