// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_FUSED_H
#define VERNIER_COMPARE_MATCH_MATCH_FUSED_H

#include "compare/match/match_state.h"

// Eager calls and the fused kernels of Inductor, as PyTorch's DebugMode prints both: no call is
// named as a kernel, whose name lists the ops that it fuses.

// Whether one of the two dumps holds such kernels, and the other none.
bool match_is_fused(const Dump *golden, const Dump *target);

// Pairs each kernel, in order, with the op whose result it holds, and other calls by their names.
void match_fused(Matcher *matcher);

#endif
