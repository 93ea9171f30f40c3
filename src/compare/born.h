// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_BORN_H
#define VERNIER_COMPARE_BORN_H

#include "compare/judge/comparison.h"

// Where measured noise, or a floor, is smaller at a later op, a difference shows there that was
// made before and was within the noise: an op which is off by no more than what it was given has
// not made it. The runs part at the op where it grew.

// Follows the difference of the first divergence (`first`, as diverge_find filled it) back to
// where it was born, by equal statistics of what one op gives and another takes, in both dumps.
// Returns that op (in Comparison.ops) where it is an earlier one: the slots on the way differ then,
// so the ops from it on have to be summed up and `first` to be found again; else PAIR_NONE.
// `sources`: SourceKind of every slot of golden. Linear in the slots before it.
uint32_t born_before(Comparison *comparison, const uint8_t *sources);

#endif
