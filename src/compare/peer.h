// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_H
#define VERNIER_COMPARE_PEER_H

#include "base/error.h"
#include "compare/peer_nodes.h"
#include "compare/peer_rows.h"
#include "compare/peer_verdict.h"

// A comparison under the rules of the peer tool: its rows with verdicts or colours, its nodes with
// their index. Two steps, since in tensor mode the caller reads the tensors in between.

typedef struct PeerComparison {
    const Graph *golden, *target;
    Rules rules;                // RULES_MSPROBE26 or RULES_MSPROBE8
    const MatchOptions *match;  // or NULL
    CompareMode mode;
    PeerRows rows;
    PeerMetrics *metrics;  // one per row in tensor mode, else NULL
    PeerColumns golden_columns, target_columns;
    PeerNodes nodes;
} PeerComparison;

// Pairs the rows, by their names or as `match` says (NULL: nothing). Both graphs are built with GRAPH_PEER. In tensor mode `metrics` has one item per
// row, all "unsupported", to be filled by the caller. Fails where the peer refuses: checksums on
// one side only. The result lives in `arena`.
bool peer_pair(const Graph *golden, const Graph *target, Rules rules, const MatchOptions *match,
               Arena *arena, PeerComparison *out, Error *err);

// Judges rows and nodes. Linear.
void peer_judge_pair(PeerComparison *peer, Arena *arena);

// The same as statuses of slots, ops and nodes, so that pictures and the verdict follow the rules
// of the peer. `comparison` is what compare_graphs made of the same two graphs; its ops stay, its
// slots, statuses, node partners and first divergence are set anew.
void peer_fill_comparison(const PeerComparison *peer, Arena *arena, Comparison *comparison);

#endif
