// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_UNRECORDED_H
#define VERNIER_COMPARE_JUDGE_UNRECORDED_H

#include "compare/judge/comparison.h"

// Marks, by op pair, calls of APIs of which the other side holds no call and whose outputs it has
// all the same: a later op of both sides takes a value that agrees, and no call recorded there
// computes it, or a call that is marked takes it. The other side wraps other APIs; a few calls may
// be missing ones. All ops are judged before. Linear in ops and slots; `out` comes all false.
void unrecorded_find(const Comparison *comparison, Arena *scratch, bool *out);

#endif
