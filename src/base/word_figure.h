// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_WORD_FIGURE_H
#define VERNIER_BASE_WORD_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digits.h"
#include "base/line_scan.h"
#include "base/str.h"

// Printed numbers whose digits are in one word of eight bytes, as most of a log do: read in one
// pass, without a call and without a branch on how many digits there are.

enum {
    FIGURE_WORD_BYTES = 24,  // so many may be looked at, from the beginning of the number on
    FIGURE_LONG_BYTES = 56,  // of a longer number
    WORD_POWER = 15          // exponents up to it leave the powers of ten exact
};

// The highest bit of each byte that is no digit.
static inline uint64_t word_others(uint64_t word)
{
    return ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
}

// How many bytes stand before the first of those, seven at most.
static inline size_t word_leading(uint64_t others)
{
    return (size_t)__builtin_ctzll(others | UINT64_C(0x80) << 56) >> 3;
}

// Without the byte after the first `count`.
static inline uint64_t word_without(uint64_t word, size_t count)
{
    uint64_t front = (UINT64_C(1) << 8 * count) - 1;
    return (word & front) | (word >> 8 & ~front);
}

// The value of the first digits of a word, one to eight of them.
static inline uint64_t word_value(uint64_t word, size_t count)
{
    return digits_value(word << (64 - 8 * count));
}

// The size of "e-05" as C and Python print it, or 0.
static inline size_t word_exponent(const char *at, int *out)
{
    bool usual =
        (at[1] == '-' || at[1] == '+') && is_digit(at[2]) && is_digit(at[3]) && !is_digit(at[4]);
    int value = (at[2] - '0') * 10 + (at[3] - '0');
    *out = at[1] == '-' ? -value : value;
    return usual && value <= WORD_POWER ? 4 : 0;
}

// The size of the number at `text`, or 0 for one that is longer or none. Whole numbers below 2^53
// and powers of ten up to 10^22 are doubles, so one product or quotient of them is the nearest
// double (W. Clinger, 1990).
static inline size_t word_figure(const char *text, Figure *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *text == '-';
    const char *at = text + negative;
    uint64_t word = digits_load(at), others = word_others(word);
    size_t whole = word_leading(others), digits = whole;
    int exponent = 0;
    if (whole == 0 || whole > 6)
        return 0;
    at += whole;
    if (*at == '.') {
        word = word_without(word, whole);
        digits = word_leading((others & (others - 1)) >> 8);
        at += digits - whole + 1;
        if (digits == 7 && is_digit(*at))
            return 0;
    }
    bool scaled = (*at | 0x20) == 'e';
    if (scaled) {
        size_t more = word_exponent(at, &exponent);
        if (more == 0)
            return 0;
        at += more;
    }
    int decimals = (int)(digits - whole), power = exponent - decimals;
    double value = (double)(int64_t)word_value(word, digits);
    value = power < 0 ? value / powers[-power] : value * powers[power];
    *out = (Figure){negative ? -value : value, decimals, scaled, text};
    return (size_t)(at - text);
}

#endif
