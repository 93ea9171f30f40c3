// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_ASIDE_OPS_H
#define VERNIER_COMPARE_ASIDE_OPS_H

#include "compare/judge/comparison.h"

// Marks, by op pair, API calls that one side alone holds and makes aside of what both compute, as
// an accuracy for its log: backward calls are behind them and none is theirs, and ops that the
// other side never calls are the only ones behind them that take their results. Of sides
// that record no backward calls of APIs none. Linear in ops and slots; `out` comes all false.
void aside_ops_find(const Comparison *comparison, Arena *scratch, bool *out);

#endif
