// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RANKS_RANK_MERGE_H
#define VERNIER_MODEL_RANKS_RANK_MERGE_H

#include "model/ranks/merge_ranks.h"

// The graphs of the ranks that hold one model in parts, merged into one graph
// (docs/spec/graph.md §2.14): shares of tensors (tensor parallel), stages of layers (pipeline),
// virtual stages, parts of a batch (context, expert and data parallel).

// The merged graph and its dump (Dump.merged) live in `arena` and borrow the graphs. Statistics are
// merged: the largest Max, the smallest Min, the mean of Mean, the root of the sum of squares of
// Norm; checksums and tensor files are left out, since they cannot be. What exists on some ranks
// only, or cannot be merged, is said in `notices`. Linear in nodes and slots.
void graph_merge(const MergeRanks *ranks, Arena *arena, Graph *out, Notices *notices);

#endif
