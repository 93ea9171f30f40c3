// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_ALIKE_H
#define VERNIER_COMPARE_MATCH_MATCH_ALIKE_H

#include "compare/match/match_state.h"

// Which of several calls that look the same is the one that the other side does not have. Only for
// the files match*.c.

// Calls of one API or module in one place and of one shape, of which one side has a few more: order
// alone cannot tell which of them is extra. Where the sizes of their inputs speak clearly for
// others than those left out so far, the pairs move. Pairs stay in order, and as many. O(n log n +
// n d) with d calls too many, for groups with d up to 64.
void match_alike_settle(Matcher *matcher, MatchStage stage);

#endif
