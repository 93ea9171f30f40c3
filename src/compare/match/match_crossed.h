// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_CROSSED_H
#define VERNIER_COMPARE_MATCH_MATCH_CROSSED_H

#include "compare/match/match_pairs.h"

// Of two paired sums, products, or larger or smaller ones of two tensors (no alpha but 1): where
// each takes as its first what the other takes as its second, 64 times nearer at the least than in
// their own order, these inputs change partners, and so do the gradients that their backward calls
// give for them. The slots are paired already. Linear in them. Only for the files match*.c.
void match_crossed_operands(const Dump *golden, const Dump *target, OpMatch *match);

#endif
