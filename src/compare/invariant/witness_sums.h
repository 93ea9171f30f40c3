// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_SUMS_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_SUMS_H

#include "compare/invariant/witness_look.h"

// What must add up, by Mean and Norm of one dump: gradients of single calls, and the positions that
// layers rotate by. Linear in the slots.
void witness_sums(Looking *of);

// Whether Mean and Norm are known, finite and those of one tensor.
bool sums_told(const TensorSeen *seen);
// The sum of the elements, and by how much rounding may part it from another way to add them up.
double sum_of(const TensorSeen *seen);
double sum_slack(const TensorSeen *seen);

#endif
