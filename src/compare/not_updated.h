// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NOT_UPDATED_H
#define VERNIER_COMPARE_NOT_UPDATED_H

#include "compare/judge/comparison.h"
#include "compare/slot_before.h"

// Weights of 16 bits that one step left as they were, whatever their floor is: an update is often
// less than it. So it is of those in float32 of a run that computes in 16 bits. The target's weight
// is equal to the bit to that of the step before. Golden's moved from there by so many steps of the
// type that no noise of an update takes all of them back.

// Whether the pair is a weight in a type of 16 bits, or in float32 with a floor of such a type,
// that is not equal and passes. `sources`: the SourceKind of every slot of golden.
bool not_updated_asked(const Comparison *comparison, const SlotPair *pair, const uint8_t *sources);

// Marks such a weight of an op if it was not updated since the step before; whether it was marked.
// `before`: golden and target of that step.
bool not_updated_mark(const Comparison *comparison, const OpPair *op, SlotPair *pair,
                      SlotsBefore before[2]);

#endif
