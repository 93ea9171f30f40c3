// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_SUM_UP_H
#define VERNIER_COMPARE_SUM_UP_H

#include "compare/judge/comparison.h"

// What follows from the statuses of slots, whatever rules gave them.

// What follows from the statuses of slots and ops and the partners of nodes: the first divergence,
// the aligned tree, the counts.
void sum_up_comparison(Comparison *comparison, Arena *arena);

#endif
