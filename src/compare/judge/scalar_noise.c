// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/scalar_noise.h"

#include <math.h>

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

// The distance between numbers of `bits` significant bits, at the smaller of two.
static double step_of(double a, double b, int bits)
{
    int exponent;
    frexp(fmin(fabs(a), fabs(b)), &exponent);
    return ldexp(1, exponent - bits);
}

// Numbers of a tensor in the type that the run computes in: few bits, and yet many digits. A count
// or a scale of the loss is whole.
static double half_floor(double golden, double target, Precision run)
{
    bool (*fits)(double) = run == PRECISION_BF16  ? is_bfloat16
                           : run == PRECISION_F16 ? is_float16
                                                  : NULL;
    if (!fits || !fits(golden) || !fits(target) ||
        (golden == floor(golden) && target == floor(target)) ||
        (digits_of(golden) < SCALAR_DIGITS_HALF && digits_of(target) < SCALAR_DIGITS_HALF))
        return 0;
    double reach = SCALAR_STEPS_HALF * step_of(golden, target, run == PRECISION_BF16 ? 8 : 11);
    return fabs(golden - target) <= reach ? reach / fabs(golden) : 0;
}

double scalar_floor(double golden, double target, Precision run)
{
    if (digits_of(golden) <= SCALAR_DIGITS_WRITTEN || digits_of(target) <= SCALAR_DIGITS_WRITTEN)
        return half_floor(golden, target, run);
    return floor_default(STAT_NORM, PRECISION_F32, run);
}
