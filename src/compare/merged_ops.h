// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MERGED_OPS_H
#define VERNIER_COMPARE_MERGED_OPS_H

#include "model/graph/graph.h"

// Ops of merged ranks that stand for one rank, or for the layout alone.

// A loose API, which stands for its own rank alone: its tensors are shares, or whole.
bool merged_one_rank_op(const Graph *graph, uint32_t op);

// An op that is there because of the layout: communication, loose APIs of ranks beyond the first.
bool merged_layout_op(const Graph *graph, uint32_t op);

// An op of an expert, or below one.
bool merged_expert_op(const Graph *graph, uint32_t op);

#endif
