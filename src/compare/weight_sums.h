// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHT_SUMS_H
#define VERNIER_COMPARE_WEIGHT_SUMS_H

#include "compare/judge/comparison.h"

// Equal weights whose Norm and Mean were summed up in another order, as of a tensor that lies in
// memory with its channels last, or on another platform; and buffers that a call before has
// computed, as the running mean of a normalisation.

// Lets such weights pass where the results of the op agree. All ops are judged before.
void weight_sums_pass(Comparison *comparison);

#endif
