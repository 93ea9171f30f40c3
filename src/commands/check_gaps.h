// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_GAPS_H
#define VERNIER_COMMANDS_CHECK_GAPS_H

#include "commands/check_input.h"
#include "compare/invariant/law.h"

// Says what one step or rank lacks and another has, where nothing can be held against it: ranks,
// weights of checkpoints, whole contents. Each makes the verdict PARTIAL. Linear in what was read.
void check_gaps_tell(const CheckInput *input, const Evidence *of, Notices *notices);

#endif
