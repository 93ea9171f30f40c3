// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_AMPLIFY_H
#define VERNIER_COMPARE_JUDGE_AMPLIFY_H

#include "compare/flow.h"
#include "compare/judge/rule_table.h"

// Where no noise runs were given: values that are small because large ones cancelled, such as the
// gradient of a convolution's bias before a batch norm, which is zero by mathematics. Their
// rounding errors are those of the large ones.

// By slot: how much larger than the slot's own size the scale of its rounding errors is, >= 1. A
// value that was seen before keeps what it had; sums take the larger absolute scale of their terms,
// products of matrices and gradients that of what they sum up, other ops the factor of their
// inputs. Source: the error of a sum is as large as its terms; Higham, Accuracy and Stability of
// Numerical Algorithms, chapters 3 and 4. Linear in the slots. `elements`: of shapes, by NameId
// (Recorded.elements); `without`: rules that are off.
float *amplify_find(const Flow *flow, const uint64_t *elements, RuleSet without, Arena *arena);

// What the op alone can add where its inputs are equal to the bit: a backward call sums up products
// that may cancel; the rounding of any other op is that of its result. For an output slot, >= 1.
double amplify_own(const Dump *dump, const Op *op, const Slot *output);

// Whether the result of an API ("__add__", "cat") is a sum or a collection of its inputs.
bool amplify_additive(Str api);

#endif
