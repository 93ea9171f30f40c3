// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NOISE_GRADIENT_H
#define VERNIER_COMPARE_NOISE_GRADIENT_H

#include "compare/judge/comparison.h"
#include "compare/slot_before.h"

// Biases whose gradient is zero by mathematics, such as that of the keys in attention or one before
// a normalisation: an optimizer that divides by the size of the gradient (Adam) moves them by its
// learning rate in the direction of rounding errors, and so each run in its own. What such a bias
// moves further on is less than rounding in runs of 16 bits. In float32 it is more, and ends where
// mathematics takes it away: within a module whose results agree, or in the ops that take it.

// Whether the pair is a bias beyond its floor that noise may have moved, otherwise than in a few
// noise runs; not where a tolerance of the user says how far it may be off. In float32 one within
// its floor is asked for too, where `parts`: some op differs, for what the bias moves may be more.
// `sources`: the SourceKind of every slot of golden.
bool noise_gradient_asked(const Comparison *comparison, const SlotPair *pair,
                          const uint8_t *sources, bool parts);

// Lets such a bias of an op pass whose gradient a step before was no larger, on the sides that tell
// it, than the rounding of what it sums up, where they part by no more than such a step moves them;
// whether it does. In float32 the bias of a product that gives more than it takes, as of queries,
// keys and values in one, needs no such gradient: noise leads a part of it. The values that the
// module computes by it pass too, if its results agree; where no such module is recorded, those on
// the way to ops whose results agree. `before`: golden and target of that step.
bool noise_gradient_pass(Comparison *comparison, const OpPair *op, SlotPair *pair,
                         SlotsBefore before[2], const uint8_t *sources);

#endif
