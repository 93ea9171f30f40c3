// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics_ulp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

DType ulp_coarser(DType a, DType b)
{
    if (dtype_is_whole(a) != dtype_is_whole(b))
        return dtype_is_whole(a) ? b : a;
    if (dtype_is_whole(a))
        return dtype_size(a) >= dtype_size(b) ? a : b;
    return dtype_precision(a) <= dtype_precision(b) ? a : b;
}

UlpFormat ulp_format(DType dtype)
{
    static const struct {
        uint8_t dtype, fraction, bias;
    } formats[] = {
        {DTYPE_F32, 23, 127},    {DTYPE_BF16, 7, 127},   {DTYPE_F16, 10, 15},
        {DTYPE_F8_E4M3FN, 3, 7}, {DTYPE_F8_E5M2, 2, 15}, {DTYPE_F8_E8M0, 0, 127},
    };
    size_t i = 0;
    while (i + 1 < sizeof formats / sizeof formats[0] && formats[i].dtype != dtype)
        i++;
    uint32_t fraction = formats[i].fraction, bias = formats[i].bias, shift = 23 - fraction;
    UlpFormat out = {.shift = shift, .base = (127 - bias) << fraction};
    if (shift > 0) {
        out.half = (1u << (shift - 1)) - 1;
        out.odd = 1;
    }
    // Formats with float32's exponents have their subnormal numbers where float32 has them.
    if (bias != 127) {
        out.tiny = float_of_bits((128 - bias) << 23);
        out.scale = float_of_bits((127 + bias - 1 + fraction) << 23);
    }
    return out;
}

static unsigned bit_length(uint64_t value)
{
    unsigned length = 0;
    for (unsigned step = 32; step > 0; step /= 2)
        if (value >> step) {
            value >>= step;
            length += step;
        }
    return length + (value != 0);
}

static size_t class_of(uint64_t distance)
{
    if (distance < ULP_EXACT)
        return (size_t)distance;
    unsigned length = bit_length(distance);
    return ULP_EXACT + (length - 5) * 8 + ((distance >> (length - 4)) & 7);
}

static double class_end(size_t class)
{
    if (class < ULP_EXACT)
        return (double)class;
    size_t octave = (class - ULP_EXACT) / 8, part = (class - ULP_EXACT) % 8;
    return ldexp((double)(8 + part + 1), (int)octave + 1) - 1;
}

// Few distances are larger than 15: four tables side by side, so that equal neighbours do not wait
// for each other.
static void add_small(UlpCounts *counts, const uint32_t *distances, size_t count, uint32_t weight)
{
    uint32_t tables[4][ULP_EXACT] = {{0}};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            tables[j][distances[i + j]]++;
    for (; i < count; i++)
        tables[0][distances[i]]++;
    for (int j = 0; j < 4; j++)
        for (int class = 0; class < ULP_EXACT; class ++)
            counts->counts[class] += (uint64_t)weight * tables[j][class];
}

void ulp_add(UlpCounts *counts, const uint32_t *distances, size_t count, uint32_t largest)
{
    counts->largest = largest > counts->largest ? largest : counts->largest;
    if (largest < ULP_EXACT) {
        add_small(counts, distances, count, 1);
        return;
    }
    for (size_t i = 0; i < count; i++)
        counts->counts[class_of(distances[i])]++;
}

void ulp_add_sample(UlpCounts *counts, const uint32_t *distances, uint64_t phase, uint32_t largest)
{
    uint32_t sample[BLOCK_ELEMENTS / ULP_SAMPLE];
    size_t count = 0;
    for (size_t i = (size_t)(phase % ULP_SAMPLE) * 8; i < BLOCK_ELEMENTS; i += 8 * ULP_SAMPLE) {
        memcpy(sample + count, distances + i, 8 * sizeof *sample);
        count += 8;
    }
    if (largest < ULP_EXACT)
        add_small(counts, sample, count, ULP_SAMPLE);
    else
        for (size_t i = 0; i < count; i++)
            counts->counts[class_of(sample[i])] += ULP_SAMPLE;
    counts->largest = largest > counts->largest ? largest : counts->largest;
}

void ulp_add_equal(UlpCounts *counts, uint64_t count)
{
    counts->counts[0] += count;
}

void ulp_remove_equal(UlpCounts *counts, uint64_t count)
{
    counts->counts[0] -= count;
}

void ulp_join(UlpCounts *counts, const UlpCounts *from)
{
    for (size_t i = 0; i < ULP_CLASSES; i++)
        counts->counts[i] += from->counts[i];
    counts->largest = from->largest > counts->largest ? from->largest : counts->largest;
}

double ulp_quantile(const UlpCounts *counts, double share)
{
    uint64_t total = 0, seen = 0;
    for (size_t i = 0; i < ULP_CLASSES; i++)
        total += counts->counts[i];
    if (total == 0)
        return (double)NAN;
    uint64_t wanted = (uint64_t)ceil((double)total * share);
    size_t class = 0;
    while (class + 1 < ULP_CLASSES && (seen += counts->counts[class]) < wanted)
        class ++;
    double end = class_end(class), largest = (double)counts->largest;
    return end < largest ? end : largest;
}

static void add_one(UlpCounts *counts, uint64_t distance)
{
    counts->counts[class_of(distance)]++;
    counts->largest = distance > counts->largest ? distance : counts->largest;
}

// An integer of any dtype, shifted by 2^63 so that all are in order.
static uint64_t ordered_integer(const void *raw, DType dtype, size_t i)
{
    const uint64_t middle = UINT64_C(1) << 63;
    switch (dtype) {
    case DTYPE_I64:
        return (uint64_t)((const int64_t *)raw)[i] + middle;
    case DTYPE_I32:
        return (uint64_t)((const int32_t *)raw)[i] + middle;
    case DTYPE_I16:
        return (uint64_t)((const int16_t *)raw)[i] + middle;
    case DTYPE_I8:
        return (uint64_t)((const int8_t *)raw)[i] + middle;
    case DTYPE_U64: {
        uint64_t value = ((const uint64_t *)raw)[i];
        return value < middle ? value + middle : UINT64_MAX;
    }
    case DTYPE_U32:
        return ((const uint32_t *)raw)[i] + middle;
    case DTYPE_U16:
        return ((const uint16_t *)raw)[i] + middle;
    case DTYPE_BOOL:
        return (((const uint8_t *)raw)[i] != 0) + middle;
    default:
        return ((const uint8_t *)raw)[i] + middle;
    }
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t integer_distance(const Block *block, size_t i)
{
    if (block->golden_dtype == DTYPE_U64 && block->target_dtype == DTYPE_U64)
        return difference(((const uint64_t *)block->golden)[i],
                          ((const uint64_t *)block->target)[i]);
    return difference(ordered_integer(block->golden, block->golden_dtype, i),
                      ordered_integer(block->target, block->target_dtype, i));
}

static uint64_t ordered_double(double value)
{
    uint64_t bits = bits_of_double(value), magnitude = bits & ~(UINT64_C(1) << 63);
    return bits >> 63 ? (UINT64_C(1) << 63) - magnitude : (UINT64_C(1) << 63) + magnitude;
}

static int64_t code_of(double value, UlpFormat format)
{
    float rounded = (float)value;
    uint32_t bits = bits_of_float(fabsf(rounded));
    float scaled = fabsf(rounded) * format.scale + 8388608.0f;
    uint32_t normal =
        ((bits + format.half + ((bits >> format.shift) & format.odd)) >> format.shift) -
        format.base;
    int64_t code = fabsf(rounded) < format.tiny ? bits_of_float(scaled) & 0x7fffffu : normal;
    return rounded < 0 ? -code : code;
}

static uint64_t float_distance(double n, double b, DType coarser)
{
    if (coarser == DTYPE_F64)
        return difference(ordered_double(n), ordered_double(b));
    UlpFormat format = ulp_format(coarser);
    return (uint64_t)llabs(code_of(n, format) - code_of(b, format));
}

void ulp_add_block(UlpCounts *counts, const Block *block, DType coarser)
{
    if (block->equal && dtype_is_whole(coarser)) {
        ulp_add_equal(counts, block->count);
        return;
    }
    if (dtype_is_whole(coarser)) {
        for (size_t i = 0; i < block->count; i++)
            add_one(counts, integer_distance(block, i));
        return;
    }
    double target[BLOCK_ELEMENTS], golden[BLOCK_ELEMENTS];
    const double *n = doubles_of(block->target, block->target_dtype, block->count, target);
    const double *b = doubles_of(block->golden, block->golden_dtype, block->count, golden);
    for (size_t i = 0; i < block->count; i++)
        if (isfinite(n[i]) && isfinite(b[i])) {
            double x = block->target_neg != (block->target_conj && i % 2) ? -n[i] : n[i];
            double y = block->golden_neg != (block->golden_conj && i % 2) ? -b[i] : b[i];
            add_one(counts, float_distance(x, y, coarser));
        }
}
