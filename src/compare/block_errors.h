// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_BLOCK_ERRORS_H
#define VERNIER_COMPARE_BLOCK_ERRORS_H

#include "compare/judge/comparison.h"

// Added against inherited error in models of blocks with a residual stream: "blocks.17 adds 12x the
// error that it inherits". Inherited is the largest relative error among the block's input and the
// outputs of the blocks before it; added is what the square of its output's error has more, since
// independent errors add in squares. The block that adds most is named where it adds several times
// what it inherits.
void block_errors_tell(const Comparison *comparison, Notices *notices);

#endif
