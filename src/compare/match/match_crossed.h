// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_CROSSED_H
#define VERNIER_COMPARE_MATCH_MATCH_CROSSED_H

#include "compare/match/match_pairs.h"

// Calls of one API that two runs make in another order pair up by their numbers, so that each is
// compared with the other's arguments (two slices of a batch) or weights (gate and up of a gated
// layer; `modules`: both dumps record these, and so whose weight it is).
//
// Two forward calls of one API and of the same shapes, close to each other in one module, change
// partners with their backward calls. They do where their inputs and outputs are crosswise the same
// or nearly so, and the calls that take their outputs take those of the new partners. Weights that
// changed places look the same up to there: where another call takes it, or none, nothing changes.
//
// Only for the files match*.c; linear in the ops and their slots.
void match_crossed(const MatchSides *sides, bool modules, OpMatch *match);

// Of two paired sums, products, or larger or smaller ones of two tensors (no alpha but 1): where
// each takes as its first what the other takes as its second, 64 times nearer at the least than in
// their own order, these inputs change partners, and so do the gradients that their backward calls
// give for them. The slots are paired already. Linear in them.
void match_crossed_operands(const Dump *golden, const Dump *target, OpMatch *match);

#endif
