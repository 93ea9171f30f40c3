// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_DIGITS_H
#define VERNIER_BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

// Eight decimal digits at a time, side by side in one word: what the readers of numbers are built
// of.

// Eight bytes, the first in the lowest place.
static inline uint64_t bytes_load(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// The same with '0' taken off each, so that digits become their values.
static inline uint64_t digits_load(const char *at)
{
    return bytes_load(at) ^ 0x3030303030303030u;
}

// How many digits are in front in eight bytes.
static inline int digits_leading(uint64_t word)
{
    uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

// The value of eight digits: pairs, then fours, then all.
static inline uint64_t digits_value(uint64_t word)
{
    word = word * 10 + (word >> 8);
    uint64_t outer = (word & 0x000000FF000000FFu) * (100 + (UINT64_C(1000000) << 32));
    uint64_t inner = (word >> 16 & 0x000000FF000000FFu) * (1 + (UINT64_C(10000) << 32));
    return (outer + inner) >> 32;
}

// `digits` with the first `count` of eight digits after it.
static inline uint64_t digits_append(uint64_t digits, uint64_t word, int count)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    // In two steps: a shift by 64 is not defined.
    word = word << (32 - 4 * count) << (32 - 4 * count);
    return digits * tens[count] + digits_value(word);
}

#endif
