// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHT_SUMS_H
#define VERNIER_COMPARE_WEIGHT_SUMS_H

#include "compare/judge/comparison.h"

// Equal weights whose Norm and Mean were summed up in another order, as of a tensor that lies in
// memory with its channels last, or on another platform: the largest and the smallest number are
// exact, sums are not.

// Lets such weights pass where the two runs sum up in another order in general. All ops are judged
// and summed up before.
void weight_sums_pass(Comparison *comparison);

#endif
