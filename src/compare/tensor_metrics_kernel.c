// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor_metrics_kernel.h"

#include <math.h>

// Steps for a block: values as float32 or double; elements that are not finite are counted,
// compared and set to 0 on both sides; sums; relative errors; distances in ulp.

enum { LANES = 16 };

typedef struct Lanes {
    double nn[LANES], bb[LANES], nb[LANES], dd[LANES], max[LANES];
} Lanes;

KERNEL_INLINE double tree_sum(const double lanes[LANES])
{
    double half[LANES / 2];
    for (int i = 0; i < LANES / 2; i++)
        half[i] = lanes[i] + lanes[i + LANES / 2];
    double quarter[LANES / 4];
    for (int i = 0; i < LANES / 4; i++)
        quarter[i] = half[i] + half[i + LANES / 4];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

KERNEL_INLINE void reduce(const Lanes *lanes, BlockResult *out)
{
    out->nn = tree_sum(lanes->nn);
    out->bb = tree_sum(lanes->bb);
    out->nb = tree_sum(lanes->nb);
    out->dd = tree_sum(lanes->dd);
    for (int i = 0; i < LANES; i++)
        out->max_abs = lanes->max[i] > out->max_abs ? lanes->max[i] : out->max_abs;
}

KERNEL_INLINE void add(Lanes *lanes, int lane, double n, double b)
{
    double d = n - b, size = fabs(d);
    lanes->nn[lane] += n * n;
    lanes->bb[lane] += b * b;
    lanes->nb[lane] += n * b;
    lanes->dd[lane] += d * d;
    lanes->max[lane] = size > lanes->max[lane] ? size : lanes->max[lane];
}

KERNEL_INLINE void sum_floats(const float *n, const float *b, size_t count, BlockResult *out)
{
    Lanes lanes = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            add(&lanes, lane, (double)n[i + (size_t)lane], (double)b[i + (size_t)lane]);
    for (int lane = 0; i < count; i++, lane++)
        add(&lanes, lane, (double)n[i], (double)b[i]);
    reduce(&lanes, out);
}

KERNEL_INLINE void sum_doubles(const double *n, const double *b, size_t count, BlockResult *out)
{
    Lanes lanes = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            add(&lanes, lane, n[i + (size_t)lane], b[i + (size_t)lane]);
    for (int lane = 0; i < count; i++, lane++)
        add(&lanes, lane, n[i], b[i]);
    reduce(&lanes, out);
}

// Both sides are equal: one sum serves as three.
KERNEL_INLINE void square_floats(const float *n, size_t count, BlockResult *out)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] += (double)n[i + (size_t)lane] * (double)n[i + (size_t)lane];
    for (int lane = 0; i < count; i++, lane++)
        lanes[lane] += (double)n[i] * (double)n[i];
    out->nn = out->bb = out->nb = tree_sum(lanes);
}

KERNEL_INLINE bool floats_finite(const float *values, size_t count)
{
    uint32_t bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= (bits_of_float(values[i]) & 0x7f800000u) == 0x7f800000u;
    return !bad;
}

KERNEL_INLINE bool doubles_finite(const double *values, size_t count)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= (bits_of_double(values[i]) & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    return !bad;
}

typedef enum Finiteness { IS_FINITE, IS_NAN, IS_INF, IS_MINUS_INF } Finiteness;

static Finiteness finiteness(double value, bool inf_sign)
{
    if (isfinite(value))
        return IS_FINITE;
    if (isnan(value))
        return IS_NAN;
    return inf_sign && value < 0 ? IS_MINUS_INF : IS_INF;
}

// Counts element i; true if it is to be set to 0.
static bool note_element(const Block *block, size_t i, double n, double b, BlockResult *out)
{
    Finiteness target = finiteness(n, block->inf_sign), golden = finiteness(b, block->inf_sign);
    if (target == IS_FINITE && golden == IS_FINITE)
        return false;
    out->target_nan += target == IS_NAN;
    out->golden_nan += golden == IS_NAN;
    out->target_inf += target > IS_NAN;
    out->golden_inf += golden > IS_NAN;
    if (target != golden && out->mismatch++ == 0)
        out->first_mismatch = (uint32_t)i;
    out->finite--;
    return true;
}

static void clean_floats(const Block *block, float *n, float *b, BlockResult *out)
{
    for (size_t i = 0; i < block->count; i++)
        if (note_element(block, i, (double)n[i], (double)b[i], out))
            n[i] = b[i] = 0;
}

static void clean_doubles(const Block *block, double *n, double *b, BlockResult *out)
{
    for (size_t i = 0; i < block->count; i++)
        if (note_element(block, i, n[i], b[i], out))
            n[i] = b[i] = 0;
}

KERNEL_INLINE void relative_own_floats(const float *n, const float *b, size_t count, float *r)
{
    for (size_t i = 0; i < count; i++) {
        float d = fabsf(n[i] - b[i]), size = fabsf(b[i]);
        float quotient = d / size, zero = d > 0 ? INFINITY : 0;
        r[i] = size > 0 ? quotient : zero;
    }
}

KERNEL_INLINE void relative_floats(const Block *block, const float *n, const float *b, float *r)
{
    float golden_epsilon = (float)block->rule->golden_epsilon;
    float target_epsilon = (float)block->rule->target_epsilon;
    for (size_t i = 0; i < block->count; i++) {
        float y = b[i] + (b[i] == 0 ? golden_epsilon : 0);
        float x = n[i] + (b[i] == 0 ? target_epsilon : 0);
        r[i] = fabsf((x - y) / y);
    }
}

// Two float16 tensors under msprobe8: every step is rounded to float16, where the epsilon is 0.
KERNEL_INLINE void relative_halves(const float *n, const float *b, size_t count, float *r)
{
    for (size_t i = 0; i < count; i++)
        r[i] = fabsf(f16_round(f16_round(n[i] - b[i]) / b[i]));
}

KERNEL_INLINE void judge_floats(const float *r, size_t count, bool half, bool own, BlockResult *out)
{
    float limit1 = half ? f16_round(0.001f) : 0.001f, limit5 = half ? f16_round(0.005f) : 0.005f;
    uint32_t largest = 0, within1 = 0, within5 = 0, infinite = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = bits_of_float(r[i]);
        uint32_t beyond = bits >= 0x7f800000u;
        infinite += beyond;
        bits = own && beyond ? 0 : bits;
        largest = bits > largest ? bits : largest;
        within1 += r[i] < limit1;
        within5 += r[i] < limit5;
    }
    out->max_relative = (double)float_of_bits(largest & 0x7fffffffu);
    out->thousandth = within1;
    out->five_thousandths = within5;
    out->golden_zero = own ? infinite : 0;
}

static void relative_doubles(const Block *block, const double *n, const double *b, double *r)
{
    const RelativeRule *rule = block->rule;
    for (size_t i = 0; i < block->count; i++) {
        double y = b[i] + (b[i] == 0 ? rule->golden_epsilon : 0);
        double x = n[i] + (b[i] == 0 ? rule->target_epsilon : 0);
        r[i] = fabs((x - y) / y);
        if (rule->own && b[i] == 0)
            r[i] = n[i] == 0 ? 0 : (double)INFINITY;
    }
}

static void judge_doubles(const double *r, size_t count, bool own, BlockResult *out)
{
    for (size_t i = 0; i < count; i++) {
        bool beyond = !isfinite(r[i]);
        out->golden_zero += own && beyond;
        if (!(own && beyond) && !(r[i] <= out->max_relative) && !isnan(out->max_relative))
            out->max_relative = r[i];
        out->thousandth += r[i] < 0.001;
        out->five_thousandths += r[i] < 0.005;
    }
}

// The number of the value in the order of all numbers of the format, negative ones below 0.
KERNEL_INLINE int32_t ulp_code(float value, UlpFormat format)
{
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffffu;
    uint32_t rounded = magnitude + format.half + ((magnitude >> format.shift) & format.odd);
    uint32_t normal = (rounded >> format.shift) - format.base;
    float scaled = float_of_bits(magnitude) * format.scale + 8388608.0f;
    uint32_t tiny = bits_of_float(scaled) & 0x7fffffu;
    int32_t code = (int32_t)(float_of_bits(magnitude) < format.tiny ? tiny : normal);
    return bits >> 31 ? -code : code;
}

KERNEL_INLINE void ulp_floats(const Block *block, const float *n, const float *b, BlockResult *out)
{
    const UlpFormat format = *block->ulp;
    uint32_t largest = 0;
    for (size_t i = 0; i < block->count; i++) {
        int32_t x = ulp_code(n[i], format), y = ulp_code(b[i], format);
        uint32_t up = (uint32_t)x - (uint32_t)y, down = (uint32_t)y - (uint32_t)x;
        uint32_t distance = x > y ? up : down;
        out->ulp[i] = distance;
        largest = distance > largest ? distance : largest;
    }
    out->max_ulp = largest;
    out->has_ulp = true;
}

KERNEL_INLINE void apply_signs(float *values, size_t count, bool neg, bool conj)
{
    for (size_t i = 0; i < count; i++)
        values[i] = neg != (conj && i % 2 == 1) ? -values[i] : values[i];
}

static void apply_signs_doubles(double *values, size_t count, bool neg, bool conj)
{
    for (size_t i = 0; i < count; i++)
        values[i] = neg != (conj && i % 2 == 1) ? -values[i] : values[i];
}

// Values that may be changed: `values` in `buffer`.
static float *own_floats(const float *values, float *buffer, size_t count)
{
    if (values != buffer)
        memcpy(buffer, values, count * sizeof *buffer);
    return buffer;
}

static double *own_doubles(const double *values, double *buffer, size_t count)
{
    if (values != buffer)
        memcpy(buffer, values, count * sizeof *buffer);
    return buffer;
}

KERNEL_INLINE void start(const Block *block, BlockResult *out)
{
    out->nn = out->bb = out->nb = out->dd = out->max_abs = out->max_relative = 0;
    out->thousandth = out->five_thousandths = out->golden_zero = 0;
    out->golden_nan = out->target_nan = out->golden_inf = out->target_inf = 0;
    out->mismatch = out->first_mismatch = out->max_ulp = 0;
    out->finite = (uint32_t)block->count;
    out->has_ulp = false;
}

// Elements that were set to 0 do not count as close under the own rule.
KERNEL_INLINE void discount(const Block *block, BlockResult *out)
{
    uint32_t removed = block->rule->own ? (uint32_t)block->count - out->finite : 0;
    out->thousandth -= removed;
    out->five_thousandths -= removed;
}

// Both sides are equal and finite: all errors are 0.
KERNEL_INLINE void equal_floats(const Block *block, const float *values, BlockResult *out)
{
    square_floats(values, block->count, out);
    out->thousandth = out->five_thousandths = (uint32_t)block->count;
}

KERNEL_INLINE void float_block(const Block *block, BlockResult *out)
{
    float target[BLOCK_ELEMENTS], golden[BLOCK_ELEMENTS], r[BLOCK_ELEMENTS];
    size_t count = block->count;
    start(block, out);
    const float *n = floats_of(block->target, block->target_dtype, count, target);
    if (block->equal && !block->rule->half && floats_finite(n, count)) {
        equal_floats(block, n, out);
        return;
    }
    const float *b = floats_of(block->golden, block->golden_dtype, count, golden);
    if (block->target_neg || block->target_conj)
        apply_signs(own_floats(n, target, count), count, block->target_neg, block->target_conj);
    if (block->golden_neg || block->golden_conj)
        apply_signs(own_floats(b, golden, count), count, block->golden_neg, block->golden_conj);
    n = block->target_neg || block->target_conj ? target : n;
    b = block->golden_neg || block->golden_conj ? golden : b;
    if (!floats_finite(n, count) || !floats_finite(b, count)) {
        n = own_floats(n, target, count);
        b = own_floats(b, golden, count);
        clean_floats(block, target, golden, out);
    }
    sum_floats(n, b, count, out);
    if (block->rule->own)
        relative_own_floats(n, b, count, r);
    else if (block->rule->half)
        relative_halves(n, b, count, r);
    else
        relative_floats(block, n, b, r);
    judge_floats(r, count, block->rule->half, block->rule->own, out);
    discount(block, out);
    if (block->ulp)
        ulp_floats(block, n, b, out);
}

KERNEL_INLINE void double_block(const Block *block, BlockResult *out)
{
    double target[BLOCK_ELEMENTS], golden[BLOCK_ELEMENTS], r[BLOCK_ELEMENTS];
    size_t count = block->count;
    start(block, out);
    const double *n = doubles_of(block->target, block->target_dtype, count, target);
    const double *b = doubles_of(block->golden, block->golden_dtype, count, golden);
    n = own_doubles(n, target, count);
    b = own_doubles(b, golden, count);
    apply_signs_doubles(target, count, block->target_neg, block->target_conj);
    apply_signs_doubles(golden, count, block->golden_neg, block->golden_conj);
    if (!doubles_finite(n, count) || !doubles_finite(b, count))
        clean_doubles(block, target, golden, out);
    sum_doubles(n, b, count, out);
    relative_doubles(block, n, b, r);
    judge_doubles(r, count, block->rule->own, out);
    discount(block, out);
}

static void float_block_plain(const Block *block, BlockResult *out)
{
    float_block(block, out);
}

static void double_block_plain(const Block *block, BlockResult *out)
{
    double_block(block, out);
}

const Kernel *kernel_plain(void)
{
    static const Kernel plain = {float_block_plain, double_block_plain};
    return &plain;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void float_block_avx2(const Block *block, BlockResult *out)
{
    float_block(block, out);
}

__attribute__((target("avx2"))) static void double_block_avx2(const Block *block, BlockResult *out)
{
    double_block(block, out);
}

const Kernel *kernel_choose(void)
{
    static const Kernel avx2 = {float_block_avx2, double_block_avx2};
    return __builtin_cpu_supports("avx2") ? &avx2 : kernel_plain();
}
#else
const Kernel *kernel_choose(void)
{
    return kernel_plain();
}
#endif
