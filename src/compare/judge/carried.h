// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_CARRIED_H
#define VERNIER_COMPARE_JUDGE_CARRIED_H

#include "compare/judge/comparison.h"

// A difference is born where it grows. A computed value that is off by more than its floor, but by
// no more than what went into it and was within its own floor, has carried that on. So has a value
// that an op nobody recorded computed (gradients are added up between two calls), where a result
// before it of the same shape is off by as much.

// Lets the slots of `op` pass that only carry on what passed before, and tells whether any did; the
// op has to be summed up again then. `source` is by golden slot. `budget` bounds how many slots are
// looked at for results before, over all calls.
bool carried_pass(Comparison *comparison, uint32_t op, const uint8_t *sources, uint64_t *budget);

// The share that an error of what goes into an op has in its result, both golden's: that of a term
// in the norm of a sum, 1 of others.
double carried_share(const Comparison *comparison, const OpPair *op, const Slot *term,
                     const Slot *result);

// The differences of the statistics of two tensors, each relative to its own scale (floor_scale); 0
// where one is not told. False where one side alone is no finite number.
bool carried_errors(const Dump *golden, const Slot *b, const Slot *n, double out[STAT_COUNT]);

#endif
