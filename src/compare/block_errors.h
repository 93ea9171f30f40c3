// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_BLOCK_ERRORS_H
#define VERNIER_COMPARE_BLOCK_ERRORS_H

#include "compare/judge/comparison.h"

// Added against inherited error in models of blocks with a residual stream: "blocks.17 adds 12x the
// error that it inherits". Inherited is the largest relative error among the block's input and the
// outputs of the blocks before it; added is what the square of its output's error has more, since
// independent errors add in squares.

typedef struct BlockError {
    uint32_t op;              // the first forward call of the block, in comparison->ops
    double inherited, added;  // relative errors, 0: none; NaN: not known
} BlockError;

typedef struct BlockErrors {
    BlockError *items;  // in execution order
    size_t count, capacity;
} BlockErrors;

BlockErrors block_errors_find(const Comparison *comparison, Arena *arena);

// Names the block that adds most, where it adds several times what it inherits.
void block_errors_tell(const Comparison *comparison, Notices *notices);

#endif
