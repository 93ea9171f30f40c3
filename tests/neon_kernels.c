// SPDX-License-Identifier: Apache-2.0
// The NEON form of the tensor kernel against the plain one; built for aarch64 by cases/neon.py.
#include <stdlib.h>

#include "check.h"
#include "compare/tensor/tensor_metrics_kernel.h"

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Any bits at all: subnormal, infinite and NaN as well when `wild`.
static float any_float(uint32_t *state, bool wild)
{
    uint32_t bits = next(state) << 16 ^ next(state), exponent = bits >> 23 & 0xff;
    return float_of_bits(wild || exponent < 0xff ? bits : bits & 0xff7fffffu);
}

static void sums_are_the_same_bits(void)
{
    static float n[BLOCK_ELEMENTS], b[BLOCK_ELEMENTS];
    static BlockResult plain, neon;
    uint32_t state = 7;
    for (int round = 0; round < 2000; round++) {
        size_t count = round ? next(&state) % (BLOCK_ELEMENTS + 1) : 0;
        for (size_t i = 0; i < count; i++) {
            b[i] = any_float(&state, false);
            n[i] = round % 2 ? any_float(&state, false) : b[i] * 1.0001f;
        }
        kernel_plain()->sum(n, b, count, &plain);
        kernel_neon()->sum(n, b, count, &neon);
        CHECK(memcmp(&plain.nn, &neon.nn, 5 * sizeof plain.nn) == 0);
    }
}

static void whole_blocks_with_what_is_not_finite_are_the_same(void)
{
    static float n[BLOCK_ELEMENTS], b[BLOCK_ELEMENTS];
    static BlockResult plain, neon;
    const RelativeRule rule = {.own = true};
    uint32_t state = 11;
    for (int round = 0; round < 500; round++) {
        for (size_t i = 0; i < BLOCK_ELEMENTS; i++) {
            n[i] = any_float(&state, true);
            b[i] = any_float(&state, true);
        }
        Block block = {.golden = b,
                       .target = n,
                       .golden_dtype = DTYPE_F32,
                       .target_dtype = DTYPE_F32,
                       .count = BLOCK_ELEMENTS,
                       .rule = &rule};
        kernel_float_block(kernel_plain(), &block, &plain);
        kernel_float_block(kernel_neon(), &block, &neon);
        CHECK(memcmp(&plain, &neon, sizeof plain) == 0);
    }
}

static void every_half_is_the_same_float(void)
{
    static uint16_t raw[65536 + 3];
    static float plain[65536 + 3], neon[65536 + 3];
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        raw[i] = (uint16_t)i;
    kernel_plain()->floats(raw, DTYPE_F16, sizeof raw / sizeof *raw, plain);
    kernel_neon()->floats(raw, DTYPE_F16, sizeof raw / sizeof *raw, neon);
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        bool nan = (raw[i] & 0x7fff) > 0x7c00;  // of these only that they are none counts
        CHECK(nan ? neon[i] != neon[i] : bits_of_float(plain[i]) == bits_of_float(neon[i]));
    }
}

int main(void)
{
    CHECK_RUN(sums_are_the_same_bits);
    CHECK_RUN(whole_blocks_with_what_is_not_finite_are_the_same);
    CHECK_RUN(every_half_is_the_same_float);
    return CHECK_RESULT;
}
