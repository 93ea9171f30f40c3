// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

// One entry for each value of four bits: small enough to read, and two look-ups a byte.
static const uint32_t table[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

static uint32_t plain(uint32_t crc, const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return crc;
}

#if defined(__x86_64__)

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) static uint32_t by_words(uint32_t crc, const unsigned char *at,
                                                           size_t words)
{
    uint64_t wide = crc;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, at + 8 * i, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    return (uint32_t)wide;
}

#else

static bool has_instruction(void)
{
    return false;
}

static uint32_t by_words(uint32_t crc, const unsigned char *at, size_t words)
{
    return plain(crc, at, 8 * words);
}

#endif

uint32_t crc32c_plain(const void *bytes, size_t size)
{
    return ~plain(0xFFFFFFFF, bytes, size);
}

uint32_t crc32c_more(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    if (size == 0)  // of which `bytes` may be NULL
        return crc;
    if (!has_instruction())
        return ~plain(~crc, at, size);
    return ~plain(by_words(~crc, at, size / 8), at + (size & ~(size_t)7), size & 7);
}

uint32_t crc32c(const void *bytes, size_t size)
{
    return crc32c_more(0, bytes, size);
}

uint32_t crc32c_masked(const void *bytes, size_t size)
{
    uint32_t crc = crc32c(bytes, size);
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}
