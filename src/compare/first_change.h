// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_FIRST_CHANGE_H
#define VERNIER_COMPARE_FIRST_CHANGE_H

#include "compare/op_judge.h"

// The first op of which anything is not equal to the bit. What is before it vouches for more than a
// floor does, so that it is judged once more. All ops are judged and summed up before.

// Where only its results are not equal, they can be off by its own rounding alone, whatever
// cancelled before it and whatever type the run is in. An input that is not was computed out of
// sight, from values that are equal as far as they show. A backward call also takes what its
// forward call kept: equal only where that was recorded.
void first_change_judge(OpJudge *judge, Arena *scratch);

#endif
