// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_CROSSED_H
#define VERNIER_COMPARE_MATCH_MATCH_CROSSED_H

#include "compare/match/match_pairs.h"

// Without modules, calls of one API that two runs make in another order pair up by their numbers,
// so that each is held against the other's weights (gate and up of a gated layer). Two forward
// calls of one API and the same shapes that stand close change partners, and so do their backward
// calls, if all they take and give is the same crosswise or nearly so, and the calls that take
// what they give take that of the new partners. Weights that changed places look alike up to
// there: where another call takes it, or none, nothing changes. Only for the files match*.c;
// linear in the ops and their slots.
void match_crossed(const Dump *golden, const Dump *target, OpMatch *match);

#endif
