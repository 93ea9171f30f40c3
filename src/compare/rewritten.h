// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_REWRITTEN_H
#define VERNIER_COMPARE_REWRITTEN_H

#include "compare/judge/comparison.h"

// Marks, by op pair, forward ops that only one side holds and whose work the other side's own ops
// do: a fused activation in place of its parts. Where an input of an op that both hold agrees, and
// each side's value of it comes from an op of its own, these ops are a rewriting, and so are those
// that only they take values from. An op that is gone without another in its place is none.
// Linear in ops and slots; `out` comes all false.
void rewritten_find(const Comparison *comparison, Arena *scratch, bool *out);

// Whether a value that both sides computed in other steps is the same but for one rounding of its
// type: what another op gives, as another activation, may stay within the floor of 16 bits, which
// is that of many roundings.
bool rewritten_keeps(const Comparison *comparison, const SlotPair *pair);

#endif
