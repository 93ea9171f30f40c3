// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NOISE_GRADIENT_H
#define VERNIER_COMPARE_NOISE_GRADIENT_H

#include "compare/judge/comparison.h"
#include "compare/slot_before.h"

// Biases whose gradient is zero by mathematics, such as that of the keys in attention or one before
// a normalisation: an optimizer that divides by the size of the gradient (Adam) moves them by its
// learning rate in the direction of rounding errors, and so each run in its own. What such a bias
// moves further on passes by `inherited`.

// Whether the pair is a bias beyond its floor that noise may have moved, otherwise than in a few
// noise runs; not where a tolerance of the user says how far it may be off. `sources`: the
// SourceKind of every slot of golden.
bool noise_gradient_asked(const Comparison *comparison, const SlotPair *pair,
                          const uint8_t *sources);

// Lets such a bias of an op pass whose gradient a step before was no larger than the rounding of
// what it sums up, on the sides that record it. The two may differ by no more than such a step
// moves them. Returns whether it passes. `before`: golden and target of that step.
bool noise_gradient_pass(const Comparison *comparison, const OpPair *op, SlotPair *pair,
                         SlotsBefore before[2]);

#endif
