// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_BIAS_STEP_H
#define VERNIER_COMPARE_INVARIANT_BIAS_STEP_H

#include "compare/invariant/law.h"

// What the gradients of biases, which are sums of what arrived, tell of one step and the next.

// Whether the sum of a bias's gradient is not that of what arrived.
bool bias_is_off(const BiasSeen *it);

// What the dump of the same rank one step before tells of it; NULL: nothing.
const BiasSeen *bias_of_step_before(const Evidence *of, size_t rank, Str op);

// Whether gradients are known to begin anew in a step after that of `rank`, so that an optimizer
// had its turn between two dumps; else they may be micro batches of one step.
bool bias_grads_anew(const Evidence *of, size_t rank);

#endif
