// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_GAPS_H
#define VERNIER_COMMANDS_CHECK_GAPS_H

#include "commands/check_input.h"
#include "compare/invariant/law.h"

// Says what one step or rank has and another has not, where nothing can be compared with it: ranks,
// weights of checkpoints, whole contents. Each makes the verdict PARTIAL. Linear in what was read.
void check_gaps_tell(const CheckInput *input, const Evidence *of, Notices *notices);

// What the user meant of the run and nothing in it could be held to; after the laws were tested.
void check_gaps_tell_expects(const Evidence *of, const LawResults *results, Notices *notices);

// What a right run and a wrong one both give, so that the user has to tell: no weight moves, a
// batch comes twice, weights get gradients, or copies are equal, in some steps alone, a weight lags
// after its siblings. Each makes the verdict PARTIAL; gives the words of the first, or none.
Str check_gaps_tell_open(const Evidence *of, const LawResults *results, Notices *notices);

#endif
