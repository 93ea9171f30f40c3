// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_CARRIED_H
#define VERNIER_COMPARE_JUDGE_CARRIED_H

#include "compare/judge/comparison.h"

// A difference is born where it grows. A computed value that is off by more than its floor, but by
// no more than what went into it and was within its own floor, has carried that on.

// Lets the slots of `op` pass that only carry on what passed before, and tells whether any did; the
// op has to be summed up again then. Measured noise says by itself what an op may be off: there
// only what is the same value passes.
bool carried_pass(Comparison *comparison, const OpPair *op);

// The differences of the statistics of two tensors, each relative to its own scale (floor_scale); 0
// where one is not told. False where one side alone is no finite number.
bool carried_errors(const Dump *golden, const Slot *b, const Slot *n, double out[STAT_COUNT]);

#endif
