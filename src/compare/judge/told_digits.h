// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_TOLD_DIGITS_H
#define VERNIER_COMPARE_JUDGE_TOLD_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// How many decimal digits the statistics of a dump have. A writer that prints "%.6g" or "%.4f"
// rounds them: a property of the collection, and no difference of the runs.

// More are those of float32 and finer: nothing was rounded.
enum { TOLD_DIGITS_MOST = 9 };

typedef struct ToldDigits {
    uint8_t digits, decimals;           // the most seen: significant ones, and after the point
    uint32_t digits_met, decimals_met;  // values that have as many
} ToldDigits;

// Some value has all digits: no further one can tell anything.
static inline bool told_digits_whole(const ToldDigits *told)
{
    return told->digits > TOLD_DIGITS_MOST && told->decimals > TOLD_DIGITS_MOST;
}

// Looks at one more number as it was written; 0 and what is not finite are no evidence.
void told_digits_see(ToldDigits *told, double value);

// Significant digits and decimals that all values seen are rounded to; 0: not rounded so. Few or
// short numbers prove nothing.
typedef struct ToldRounding {
    uint8_t digits, decimals;
} ToldRounding;

ToldRounding told_digits_rounding(const ToldDigits *told);

// As printf is set to round, "%.6g"; an empty text where nothing is.
Str told_digits_format(ToldRounding rounding, Arena *arena);

// Whether `a` rounds off what `b` tells.
bool told_digits_coarser(ToldRounding a, ToldRounding b);

static inline bool told_digits_rounded(ToldRounding rounding)
{
    return rounding.digits || rounding.decimals;
}

// One step of the last digit that is recorded of `value`; 0: not rounded.
double told_digits_step(ToldRounding rounding, double value);

#endif
