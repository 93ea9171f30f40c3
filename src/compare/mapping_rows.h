// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_ROWS_H
#define VERNIER_COMPARE_MAPPING_ROWS_H

#include "compare/peer_rows.h"
#include "model/graph.h"

// The rows of the peer's report where --fuzzy or a mapping is given (spec/compare.md §2.3 to §2.7),
// oddities included: only golden's backward calls are counted anew, the class name is dropped from
// the fuzzy names of modules, and rows of one name give every combination.

bool mapping_rows_wanted(const MatchOptions *options);

// A layer mapping acts as a data mapping. Linear in the rows; fuzzy pairing, too.
void mapping_rows_build(const Graph *golden, const Graph *target, PeerGeneration generation,
                        const MatchOptions *options, Arena *arena, PeerRows *out);

// The name of a row without its call number, as the peer forms it.
Str mapping_fuzzy_name(Str row, Arena *arena);

#endif
