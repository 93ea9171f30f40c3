// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/scalar_noise.h"

#include "base/number.h"

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

double scalar_floor(double golden, double target, Precision run)
{
    if (digits_of(golden) <= SCALAR_DIGITS_WRITTEN || digits_of(target) <= SCALAR_DIGITS_WRITTEN)
        return 0;
    return floor_default(STAT_NORM, PRECISION_F32, run);
}
