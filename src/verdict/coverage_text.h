// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_COVERAGE_TEXT_H
#define VERNIER_VERDICT_COVERAGE_TEXT_H

#include "compare/pair_facts.h"

// How wide a verdict is, in words. Texts live in `arena`.

// What one side alone records: "The target alone records 17 calls of Tensor.view. 2 ops are on
// one side only; no op that both hold differs."; empty where both record the same. `equal`: no
// value differs at all.
Str coverage_sentence(const Coverage *coverage, bool equal, Arena *arena);

// What a side alone records: "17 calls of Tensor.view, outputs (418)"; may be empty.
Str coverage_alone(const Coverage *coverage, Side side, Arena *arena);

// "compared: 858 of 1,276 slots" where a side does not have what the other has; else empty.
Str coverage_share(const Coverage *coverage, uint64_t compared, Arena *arena);

// "1,276 slots", or where values or the end of a dump are missing "170 of 1,276 slots".
Str coverage_slots(const Coverage *coverage, uint64_t compared, Arena *arena);

// Why dumps with tensors compared none: "golden holds statistics, the target checksums only: none
// of 1,106 tensors could be compared (170 arguments are equal)".
Str coverage_none(const Coverage *coverage, uint64_t compared, Arena *arena);

// Of several pairs, some of which compared nothing: "3 of 4 ranks compared nothing: 1, 2, 3.";
// empty where all compared something.
Str coverage_empty_pairs(const PairFacts *pairs, size_t count, Arena *arena);

#endif
