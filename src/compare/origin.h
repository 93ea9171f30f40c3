// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_ORIGIN_H
#define VERNIER_COMPARE_ORIGIN_H

#include "compare/pair_facts.h"

// Where the error of a whole report starts: the pair whose first divergence nothing else explains.

// Of the earliest step at which a pair diverges, the rank that does so first. Ranks number their
// ops each for itself, so they are ordered by a clock that their communications share
// (compare/nonfinite/comm_ties.h): what a rank received or reduced comes after what the sender or a
// member of the group did before its call. At one time a rank whose own input, weight or argument
// differs comes before one whose result does. SIZE_MAX if no pair diverges. Linear in pairs and
// calls but for a logarithm.
size_t origin_find(const PairFacts *pairs, size_t count);

#endif
