// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/scalar_noise.h"

#include "base/number.h"
#include "compare/judge/observe.h"

// Significant digits of the shortest text that reads back as the number.
static int digits_of(double value)
{
    char text[NUMBER_BYTES];
    int size = number_python(value, text), digits = 0, zeros = 0;
    for (int i = 0; i < size && text[i] != 'e'; i++) {
        if (text[i] < '0' || text[i] > '9' || (text[i] == '0' && digits == 0))
            continue;
        zeros = text[i] == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

// A tensor's number in the type that the run computes in: few bits, and yet many digits.
static bool are_half(double golden, double target, Precision run)
{
    bool (*fits)(double) = run == PRECISION_BF16  ? is_bfloat16
                           : run == PRECISION_F16 ? is_float16
                                                  : NULL;
    return fits && fits(golden) && fits(target) &&
           (digits_of(golden) >= SCALAR_DIGITS_HALF || digits_of(target) >= SCALAR_DIGITS_HALF);
}

double scalar_floor(double golden, double target, Precision run)
{
    bool written =
        digits_of(golden) <= SCALAR_DIGITS_WRITTEN || digits_of(target) <= SCALAR_DIGITS_WRITTEN;
    if (written && !are_half(golden, target, run))
        return 0;
    return floor_default(STAT_NORM, PRECISION_F32, run);
}
