// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_PEER_NODES_H
#define VERNIER_COMPARE_MATCH_PEER_NODES_H

#include "compare/match.h"

// How the peer's graph comparison pairs nodes under --fuzzy and under a layer mapping (spec/graph.md
// §3.2, §3.3). Given both, fuzzy wins. False if neither is asked for: then ids and ancestors decide.
bool match_peer_nodes(const Graph *golden, const Graph *target, const MatchOptions *options,
                      Arena *arena, NodeMatch *out);

// An id without its call numbers and rank markers: "Tensor.mul.20.forward" is "Tensor.mul.forward".
Str match_reduced_id(Str id, StrBuf *buffer);

#endif
