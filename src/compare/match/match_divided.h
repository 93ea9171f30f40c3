// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_DIVIDED_H
#define VERNIER_COMPARE_MATCH_MATCH_DIVIDED_H

#include "compare/match/match_pairs.h"

// A call that takes a tensor more than its partner, where the next calls of the other side hold one
// without a partner that takes this tensor and the partner's result: one call here does what two do
// there, as a product with its bias. They part, and so do their backward calls; what they come to
// together is compared where it is taken. Linear in the slots. Only for the files match*.c.
void match_divided(const Dump *golden, const Dump *target, OpMatch *match);

#endif
