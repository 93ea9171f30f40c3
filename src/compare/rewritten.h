// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_REWRITTEN_H
#define VERNIER_COMPARE_REWRITTEN_H

#include "compare/judge/comparison.h"

// Marks, by op pair, forward ops between values that agree and that either side computes in other
// steps: a softmax in its parts, a sum of products as a loop, a fused activation. They are found
// from the last op to the first:
//
//     golden   a -- matmul -- div -- b     ops on one side only, and pairs that differ since
//     target   a -- mul -- matmul -- b     they take what such ops give
//
// Where a later op takes a value that agrees, or a run ends with one, and each side has it from
// such ops, these are a rewriting, and so are those that give what they take. A pair is part of it
// only where all that it gives goes that way and what it takes otherwise comes from it. An op that
// is gone without another in its place is none. Linear in ops and slots; `out` comes all false.
void rewritten_find(const Comparison *comparison, Arena *scratch, bool *out);

// Whether a value that both sides computed in other steps is the same but for one rounding of its
// type and what its inputs are off (`given`, or NULL): what another op computes, as another
// activation, may stay within the floor of 16 bits, which is that of many roundings.
bool rewritten_keeps(const Comparison *comparison, const SlotPair *pair,
                     const double given[STAT_COUNT]);

#endif
