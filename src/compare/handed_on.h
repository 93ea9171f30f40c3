// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_HANDED_ON_H
#define VERNIER_COMPARE_HANDED_ON_H

#include "compare/judge/comparison.h"

// Gradients of weights that golden lists to the bit as a backward call gave them, and the target
// otherwise than its own call did, beyond a rounding of their largest and smallest number: a hook
// changed them there. However large their floor is, as what cancelled before them makes it, such a
// one differs. Linear in the slots.
void handed_on_judge(Comparison *comparison, Arena *scratch);

#endif
