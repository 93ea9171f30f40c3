// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_OP_ERROR_H
#define VERNIER_COMPARE_JUDGE_OP_ERROR_H

#include "compare/judge/comparison.h"

// The one number of a side of an op, which pictures, tables and machine formats show in the same
// way.

// What no number tells is there as a word.
typedef enum ErrorWord {
    ERROR_WORD_NONE,  // the number does
    ERROR_WORD_ARGUMENT,
    ERROR_WORD_DTYPE,
    ERROR_WORD_SHAPE,
    ERROR_WORD_DIFFERS,  // checksums, or a difference of what has no size
    ERROR_WORD_NAN,      // NaN or Inf on one side
    ERROR_WORD_INF,
    ERROR_WORD_COUNT
} ErrorWord;

// What OpPair.error_in or error_out is: where the side is beyond tolerance the relative difference
// of the statistic that decided, else the largest of the norms (`norm_error`: -1, all bit for bit;
// NaN: no tensor with a norm). Checksums and dtypes have no size of their own: the norms' stands.
double op_error_deciding(const Comparison *comparison, const OpPair *pair, OpSide side,
                         double norm_error);

ErrorWord op_error_word(const Comparison *comparison, const OpPair *pair, OpSide side);

// Whether a tensor of the side holds NaN in both runs: equal, and yet no agreement.
bool op_nan_in_both(const Comparison *comparison, const OpPair *pair, OpSide side);

const char *error_word(ErrorWord word);  // "argument", "NaN"; "" for none; not translated

#endif
