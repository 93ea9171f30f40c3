// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_MATCH_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_MATCH_H

#include "compare/match/match.h"

// How msProbe's graph comparison pairs nodes under --fuzzy and under a layer mapping
// (docs/spec/graph.md §3.2, §3.3). Given both, fuzzy wins. False if neither is asked for: then ids
// and ancestors decide.
bool match_msprobe_nodes(const Graph *golden, const Graph *target, const MatchOptions *options,
                         Arena *arena, NodeMatch *out);

// An id without its call numbers and rank markers: "Tensor.mul.20.forward" is "Tensor.mul.forward".
Str match_reduced_id(Str id, StrBuf *buffer);

#endif
