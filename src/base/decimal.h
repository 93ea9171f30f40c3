// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_DECIMAL_H
#define VERNIER_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

// Decimal digits to the nearest double, fast: what reading a large dump spends its time on.

// The value is digits x 10^exponent, or its negative.
typedef struct Decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative;
    bool real;     // written with a point or an exponent
    bool dropped;  // more digits than fit; `digits` means nothing then
} Decimal;

// The number as JSON writes it that begins at `at`; gives its end, NULL if there is none. The bytes
// up to DECIMAL_PADDING after its end are looked at, so they must be readable, and something that
// is no digit must come after it.
enum { DECIMAL_PADDING = 32 };
const char *decimal_scan(const char *at, Decimal *out);

// The double nearest to the value, ties to even. False, with nothing done, for dropped digits and
// for exponents far from those of real statistics; strtod must do those.
bool decimal_round(const Decimal *decimal, double *out);

// The other way: the value, positive, rounded to `precision` significant digits, 1 to 17, as
// *digits x 10^*exponent. False where that cannot be told for sure, for subnormal values and for
// those far from real statistics; printf must do those.
bool decimal_digits(double value, int precision, uint64_t *digits, int *exponent);

// Both at once, for real numbers only. NULL if there is no number, or it is an integer, or strtod
// must do it.
const char *decimal_read(const char *at, double *out);

#endif
