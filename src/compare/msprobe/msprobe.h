// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_H

#include "base/error.h"
#include "compare/msprobe/msprobe_nodes.h"
#include "compare/msprobe/msprobe_rows.h"
#include "compare/msprobe/msprobe_verdict.h"

// A comparison under the rules of msProbe tool: its rows with verdicts or colours, its nodes with
// their index. Two steps, since in tensor mode the caller reads the tensors in between.

typedef struct MsprobeComparison {
    const Graph *golden, *target;
    Rules rules;                // RULES_MSPROBE26 or RULES_MSPROBE8
    const MatchOptions *match;  // or NULL
    CompareMode mode;
    MsprobeRows rows;
    MsprobeMetrics *metrics;  // one per row in tensor mode, else NULL
    MsprobeColumns golden_columns, target_columns;
    MsprobeNodes nodes;
} MsprobeComparison;

// Pairs the rows, by their names or as `match` says (NULL: nothing). Both graphs are built with
// GRAPH_MSPROBE. In tensor mode `metrics` has one item per row, all "unsupported", to be filled by
// the caller. Fails where msProbe refuses: checksums on one side only. The result lives in `arena`.
bool msprobe_pair(const Graph *golden, const Graph *target, Rules rules, const MatchOptions *match,
                  Arena *arena, MsprobeComparison *out, Error *err);

// Judges rows and nodes. Linear.
void msprobe_judge_pair(MsprobeComparison *msprobe, Arena *arena);

// The same as statuses of slots, ops and nodes, so that pictures and the verdict follow the rules
// of msProbe. `comparison` is what compare_graphs made of the same two graphs; its ops stay, its
// slots, statuses, node partners and first divergence are set anew.
void msprobe_fill_comparison(const MsprobeComparison *msprobe, Arena *arena,
                             Comparison *comparison);

#endif
