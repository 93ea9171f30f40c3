// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_REPEATED_CALLS_H
#define VERNIER_COMPARE_REPEATED_CALLS_H

#include "compare/judge/comparison.h"

// Marks, by op pair, forward calls that one side alone holds and makes again for its gradients, as
// activation recomputation does: behind its first backward call, with the values that an earlier
// call of the same API or module took and gave, but for rounding, which the other side holds too.
// A call whose own backward call stands alone is another step of the training, not a repetition.
// Linear in ops and slots; `out` comes all false.
void repeated_calls_find(const Comparison *comparison, Arena *scratch, bool *out);

#endif
