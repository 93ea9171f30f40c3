// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TENSOR_VALUES_H
#define VERNIER_READ_TENSOR_TENSOR_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "read/tensor/tensor.h"

// Raw elements of every dtype as numbers. Inline, so that each instruction set of the kernels gets
// its own code; written without branches on the data, so that compilers use vectors.

#define KERNEL_INLINE static inline __attribute__((always_inline))

enum { BLOCK_ELEMENTS = 1024 };

KERNEL_INLINE float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

KERNEL_INLINE uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

KERNEL_INLINE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A small float with `fraction` bits of fraction and exponent bias `bias`, sign in the top bit:
// exponent and fraction move to their float32 places; numbers below the smallest normal one get
// theirs by subtracting the hidden bit again.
KERNEL_INLINE float small_float(uint32_t bits, int width, int fraction, int bias, bool has_infinity)
{
    uint32_t sign = (bits >> (width - 1)) << 31;
    uint32_t magnitude = (bits & ((1u << (width - 1)) - 1)) << (23 - fraction);
    uint32_t exponent = magnitude & 0x7f800000u;
    uint32_t highest = ((1u << (width - 1 - fraction)) - 1) << 23;
    uint32_t normal = magnitude + ((uint32_t)(127 - bias) << 23);
    uint32_t special = magnitude | 0x7f800000u;
    float least = float_of_bits((uint32_t)(128 - bias) << 23);
    uint32_t subnormal = bits_of_float(float_of_bits(normal + 0x00800000u) - least);
    uint32_t out = exponent == 0 ? subnormal : normal;
    out = has_infinity && exponent == highest ? special : out;
    return float_of_bits(out | sign);
}

KERNEL_INLINE float f16_value(uint16_t bits)
{
    return small_float(bits, 16, 10, 15, true);
}

KERNEL_INLINE float bf16_value(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

KERNEL_INLINE float e4m3fn_value(uint8_t bits)
{
    return (bits & 0x7f) == 0x7f ? float_of_bits(0x7fc00000u) : small_float(bits, 8, 3, 7, false);
}

KERNEL_INLINE float e5m2_value(uint8_t bits)
{
    return small_float(bits, 8, 2, 15, true);
}

KERNEL_INLINE float e8m0_value(uint8_t bits)
{
    uint32_t out = bits == 0 ? 0x00400000u : (uint32_t)bits << 23;
    return float_of_bits(bits == 0xff ? 0x7fc00000u : out);
}

// Dtypes whose values are float32 numbers.
static inline bool dtype_fits_float(DType dtype)
{
    return dtype_class(dtype) == CLASS_FLOAT && dtype != DTYPE_F64;
}

// Rounds to float16, to nearest, ties to even; the result as float32.
KERNEL_INLINE float f16_round(float value)
{
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1)) & ~0x1fffu;
    normal = normal >= 0x47800000u && magnitude <= 0x7f800000u ? 0x7f800000u : normal;
    float step = float_of_bits((uint32_t)(127 - 24 + 23) << 23);  // its unit is the least float16
    uint32_t tiny = bits_of_float((float_of_bits(magnitude) + step) - step);
    uint32_t out = magnitude < 0x38800000u ? tiny : normal;
    out = magnitude > 0x7f800000u ? magnitude : out;
    return float_of_bits(out | (bits & 0x80000000u));
}

#define KERNEL_CONVERT(type, convert)      \
    do {                                   \
        const type *from = raw;            \
        for (size_t i = 0; i < count; i++) \
            out[i] = convert(from[i]);     \
        return out;                        \
    } while (0)

// `raw` itself for float32, else the values in `out`.
KERNEL_INLINE const float *floats_of(const void *raw, DType dtype, size_t count, float *out)
{
    switch (dtype) {
    case DTYPE_F16:
        KERNEL_CONVERT(uint16_t, f16_value);
    case DTYPE_BF16:
        KERNEL_CONVERT(uint16_t, bf16_value);
    case DTYPE_F8_E4M3FN:
        KERNEL_CONVERT(uint8_t, e4m3fn_value);
    case DTYPE_F8_E5M2:
        KERNEL_CONVERT(uint8_t, e5m2_value);
    case DTYPE_F8_E8M0:
        KERNEL_CONVERT(uint8_t, e8m0_value);
    default:
        return raw;
    }
}

KERNEL_INLINE double bool_value(uint8_t byte)
{
    return byte != 0;
}

// `raw` itself for float64, else the values in `out`. Integers beyond 2^53 are rounded.
static inline const double *doubles_of(const void *raw, DType dtype, size_t count, double *out)
{
    float floats[BLOCK_ELEMENTS];
    switch (dtype) {
    case DTYPE_I64:
        KERNEL_CONVERT(int64_t, (double));
    case DTYPE_I32:
        KERNEL_CONVERT(int32_t, (double));
    case DTYPE_I16:
        KERNEL_CONVERT(int16_t, (double));
    case DTYPE_I8:
        KERNEL_CONVERT(int8_t, (double));
    case DTYPE_U64:
        KERNEL_CONVERT(uint64_t, (double));
    case DTYPE_U32:
        KERNEL_CONVERT(uint32_t, (double));
    case DTYPE_U16:
        KERNEL_CONVERT(uint16_t, (double));
    case DTYPE_U8:
        KERNEL_CONVERT(uint8_t, (double));
    case DTYPE_BOOL:
        KERNEL_CONVERT(uint8_t, bool_value);
    case DTYPE_F64:
        return raw;
    default: {
        const float *values = floats_of(raw, dtype, count, floats);
        for (size_t i = 0; i < count; i++)
            out[i] = (double)values[i];
        return out;
    }
    }
}

#endif
