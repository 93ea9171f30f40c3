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

// Queries, keys and values may be one product with one bias: its gradient is large, but that of the
// keys in it is rounding. What the next ops take of its result, up to the softmax, is as far off.
typedef struct NoisyPart {
    uint32_t ops;  // so many more; 0: no such bias came before
    double reach;  // of an element
} NoisyPart;

// Lets such a bias of an op pass. Its gradient of the step before, on the sides that record it, was
// no larger than the rounding of what it sums up; or that of a part of the result that it was added
// to (`part` is set then). The two may differ by no more than such steps move them. Returns whether
// it passes. `before`: golden and target of that step.
bool noise_gradient_pass(const Comparison *comparison, const OpPair *op, SlotPair *pair,
                         SlotsBefore before[2], NoisyPart *part);

// Lets a value that was computed with such a part pass.
bool noise_gradient_part(const Comparison *comparison, SlotPair *pair, const NoisyPart *part);

#endif
