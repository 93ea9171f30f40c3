// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_OPS_OP_TRAITS_H
#define VERNIER_MODEL_OPS_OP_TRAITS_H

#include <stdbool.h>

#include "base/str.h"

// What an op is, by the name of its API or class: the one table of such names.

typedef enum OpTrait {
    // What happens to NaN and Inf.
    API_UNDEFINED = 1,         // gives memory as it is: torch.empty
    API_OVERWRITES = 2,        // does not read what its inputs hold: fill_, zeros_like, isnan
    API_FILLS = 4,             // puts an argument into its result: masked_fill, full, where
    API_PATCHES = 8,           // may take bad values away: where, nan_to_num
    API_FLIPS = 16,            // may turn the sign of an infinity: neg, mul
    API_LOGARITHM = 32,        // of a mask of zeros and ones is a mask
    API_FIRST_IS_RESULT = 64,  // its first input is overwritten, the others are read: copy_
    // What it computes.
    OP_SUMS = 128,        // its result is a sum or a collection of its inputs
    OP_MULTIPLIES = 256,  // element by element
    OP_COMMUTES = 512,    // its operands may change places, to the last bit; not in place
    OP_REDUCES = 1024,    // a sum or a mean over axes
    OP_MATMUL = 2048,     // a product of matrices
    OP_CONVOLVES = 4096,  // a convolution, not transposed
    OP_ATTENDS = 8192,    // a product of more than two, as attention is
    OP_MOVES = 1 << 14,   // gives the numbers that it takes, all of them
    OP_TAKES = 1 << 15,   // gives numbers that it takes, by indices
    OP_LOSS = 1 << 16,    // of labels
    OP_EMBEDS = 1 << 17,  // takes rows of a weight by indices
    // Its positional inputs that are weights.
    OP_WEIGHT_1 = 1 << 18,
    OP_WEIGHT_2 = 1 << 19,
    OP_WEIGHT_3 = 1 << 20,
    OP_WEIGHT_4 = 1 << 21,
    // Which function of one variable it is, element by element: one of these, in OP_CURVE.
    OP_RELU = 1 << 22,
    OP_TANH = 2 << 22,
    OP_SIGMOID = 3 << 22,
    OP_EXP = 4 << 22,
    OP_LOG = 5 << 22,
    OP_SOFTPLUS = 6 << 22,
    OP_ELU = 7 << 22,
    OP_SILU = 8 << 22,
    OP_GELU = 9 << 22,
    OP_DISTANCE = 10 << 22,  // of a difference: l1_loss, whose slope is 1 at most
    OP_CURVE = 15 << 22,
    OP_RANDOM = 1 << 26  // draws random numbers
} OpTrait;

// The traits of "add", "add_", "Embedding", as bits. A name with one underscore at its end has, if
// it is not in the table itself, those of the name without it. 0: none is known.
unsigned op_traits(Str name);

// "add_", "__iadd__" and "__setitem__" change their first input, "__add__" does not.
bool op_is_in_place(Str name);

// Whether a path of the op ("input.1") is the place of a weight.
bool op_weight_place(unsigned traits, Str path);

#endif
