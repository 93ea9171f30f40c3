// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_REGROUPED_H
#define VERNIER_COMPARE_REGROUPED_H

#include "compare/judge/comparison.h"

// Modules that take and give the same on both sides, and compute it in other calls: an MLP in parts
// of the sequence, a softmax in steps. Each side has calls of its own there, or of other shapes,
// and what the latter take and give has no partner.

// Makes the tensors of such calls uncomparable, but for weights, and fills Comparison.regrouped.
// All ops are judged and summed up before.
void regrouped_settle(Comparison *comparison, Arena *arena);

#endif
