// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_AMPLIFY_H
#define VERNIER_COMPARE_JUDGE_AMPLIFY_H

#include "compare/judge/rule_table.h"
#include "read/dump/dump.h"

// Where no noise runs tell: values that are small because large ones cancelled, such as the
// gradient of a convolution's bias before a batch norm, which is zero by mathematics. Their
// rounding errors are those of the large ones.

typedef struct Amplified {
    float factor;  // how much larger than the slot's own size its rounding errors' scale is, >= 1
    // Of a gradient: how many ops of a coarse type it came through that let each number pass or not
    // by the sign or order of others, as a relu does. Where that turns, a number errs by all of it.
    float gates;
} Amplified;

// By slot. The factor of a result of the backward pass takes its scale from the largest tensor of
// its op, that of the gradients of a module's weights from its backward calls; a value that was
// seen before keeps what it had; sums take the larger absolute scale of their terms, other ops the
// factor of their inputs; a square twice that, a root half of it, all powers before a value at most
// four times. A buffer that no op gave has the absolute scale of the gradient that is added to it
// in place, without that of the weights that decay in it. Linear in the slots.
// `without`: rules that are off.
Amplified *amplify_find(const Dump *dump, RuleSet without, Arena *arena);

// What the op alone can add where its inputs are equal to the bit: a backward call sums up products
// that may cancel; the rounding of any other op is that of its result. For an output slot, >= 1.
double amplify_own(const Dump *dump, const Op *op, const Slot *output);

// Whether the result of an API ("__add__", "cat") is a sum or a collection of its inputs.
bool amplify_additive(Str api);

#endif
