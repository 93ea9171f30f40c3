// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics_kernel.h"

#include <math.h>

// Steps for a block: values as float32 or double; elements that are not finite are counted,
// compared and set to 0 on both sides; sums; relative errors; distances in ulp.

enum { LANES = 8 };

typedef struct Lanes {
    double nn[LANES], bb[LANES], nb[LANES], dd[LANES], max[LANES];
} Lanes;

static double tree_sum(const double lanes[LANES])
{
    double half[LANES / 2];
    for (int i = 0; i < LANES / 2; i++)
        half[i] = lanes[i] + lanes[i + LANES / 2];
    return (half[0] + half[2]) + (half[1] + half[3]);
}

static void reduce(const Lanes *lanes, BlockResult *out)
{
    out->nn = tree_sum(lanes->nn);
    out->bb = tree_sum(lanes->bb);
    out->nb = tree_sum(lanes->nb);
    out->dd = tree_sum(lanes->dd);
    out->max_abs = 0;
    for (int i = 0; i < LANES; i++)
        out->max_abs = lanes->max[i] > out->max_abs ? lanes->max[i] : out->max_abs;
}

KERNEL_INLINE void add(Lanes *lanes, size_t lane, double n, double b)
{
    double d = n - b, size = fabs(d);
    lanes->nn[lane] += n * n;
    lanes->bb[lane] += b * b;
    lanes->nb[lane] += n * b;
    lanes->dd[lane] += d * d;
    lanes->max[lane] = size > lanes->max[lane] ? size : lanes->max[lane];
}

static void sum_floats(const float *n, const float *b, size_t count, BlockResult *out)
{
    Lanes lanes = {0};
    for (size_t i = 0; i < count; i++)
        add(&lanes, i % LANES, (double)n[i], (double)b[i]);
    reduce(&lanes, out);
}

static void sum_doubles(const double *n, const double *b, size_t count, BlockResult *out)
{
    Lanes lanes = {0};
    for (size_t i = 0; i < count; i++)
        add(&lanes, i % LANES, n[i], b[i]);
    reduce(&lanes, out);
}

static bool doubles_finite(const double *values, size_t count)
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

static void relative_floats(const Block *block, const float *n, const float *b, float *r)
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
static void relative_halves(const float *n, const float *b, size_t count, float *r)
{
    for (size_t i = 0; i < count; i++)
        r[i] = fabsf(f16_round(f16_round(n[i] - b[i]) / b[i]));
}

// Numbers that are not negative are in the order of their bits, with NaN last.
static void judge_floats(const float *r, size_t count, bool half, BlockResult *out)
{
    int32_t limit1 = (int32_t)bits_of_float(half ? f16_round(0.001f) : 0.001f);
    int32_t limit5 = (int32_t)bits_of_float(half ? f16_round(0.005f) : 0.005f);
    int32_t largest = 0, within1 = 0, within5 = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t bits = (int32_t)(bits_of_float(r[i]) & 0x7fffffffu);
        largest = bits > largest ? bits : largest;
        within1 += bits < limit1;
        within5 += bits < limit5;
    }
    out->max_relative = (double)float_of_bits((uint32_t)largest);
    out->thousandth = (uint32_t)within1;
    out->five_thousandths = (uint32_t)within5;
}

// Vernier's rule: where golden is 0 there is no relative error, and any difference counts as large.
static void judge_own(const float *n, const float *b, size_t count, BlockResult *out)
{
    int32_t largest = 0, within1 = 0, within5 = 0, infinite = 0;
    for (size_t i = 0; i < count; i++) {
        float d = fabsf(n[i] - b[i]), size = fabsf(b[i]);
        // Masked: a choice would become a branch round the division, and the loop no vector.
        int32_t bits = (int32_t)(bits_of_float(d / size) & (0 - (uint32_t)(d > 0)));
        bool beyond = bits >= 0x7f800000;
        infinite += beyond;
        bits = beyond ? 0 : bits;
        largest = bits > largest ? bits : largest;
        within1 += d <= 0.001f * size;
        within5 += d <= 0.005f * size;
    }
    out->max_relative = (double)float_of_bits((uint32_t)largest);
    out->thousandth = (uint32_t)within1;
    out->five_thousandths = (uint32_t)within5;
    out->golden_zero = (uint32_t)infinite;
}

static void relative_doubles(const Block *block, const double *n, const double *b, double *r)
{
    const RelativeRule *rule = block->rule;
    for (size_t i = 0; i < block->count; i++) {
        double y = b[i] + (b[i] == 0 ? rule->golden_epsilon : 0);
        double x = n[i] + (b[i] == 0 ? rule->target_epsilon : 0);
        r[i] = fabs((x - y) / y);
    }
}

static void judge_doubles(const double *r, size_t count, BlockResult *out)
{
    for (size_t i = 0; i < count; i++) {
        if (!(r[i] <= out->max_relative) && !isnan(out->max_relative))
            out->max_relative = r[i];
        out->thousandth += r[i] < 0.001;
        out->five_thousandths += r[i] < 0.005;
    }
}

static void judge_own_doubles(const double *n, const double *b, size_t count, BlockResult *out)
{
    for (size_t i = 0; i < count; i++) {
        double d = fabs(n[i] - b[i]), size = fabs(b[i]), r = d > 0 ? d / size : 0;
        out->thousandth += d <= 0.001 * size;
        out->five_thousandths += d <= 0.005 * size;
        out->golden_zero += isinf(r) ? 1u : 0u;
        if (r > out->max_relative && !isinf(r))
            out->max_relative = r;
    }
}

// Signed by the sign bit; both zeros are 0.
KERNEL_INLINE int32_t signed_code(uint32_t bits, uint32_t magnitude)
{
    // cppcheck-suppress shiftTooManyBitsSigned; the sign is kept by every compiler meant here
    uint32_t sign = (uint32_t)((int32_t)bits >> 31);
    return (int32_t)((magnitude ^ sign) - sign);
}

// The number of the value in the order of all numbers of the format, negative ones below 0.
KERNEL_INLINE int32_t ulp_code(float value, UlpFormat format)
{
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffffu;
    uint32_t rounded = magnitude + format.half + ((magnitude >> format.shift) & format.odd);
    uint32_t normal = (rounded >> format.shift) - format.base;
    float scaled = float_of_bits(magnitude) * format.scale + 8388608.0f;
    uint32_t tiny = bits_of_float(scaled) & 0x7fffffu;
    return signed_code(bits, float_of_bits(magnitude) < format.tiny ? tiny : normal);
}

// The same where all values are on the grid and the format has float32's exponents.
KERNEL_INLINE int32_t ulp_code_wide(float value, uint32_t shift)
{
    uint32_t bits = bits_of_float(value);
    return signed_code(bits, (bits & 0x7fffffffu) >> shift);
}

KERNEL_INLINE uint32_t ulp_distance(int32_t x, int32_t y)
{
    int32_t high = x > y ? x : y, low = x > y ? y : x;
    return (uint32_t)high - (uint32_t)low;
}

#define KERNEL_DISTANCES(code, format)                                                \
    do {                                                                              \
        for (size_t i = 0; i < count; i++) {                                          \
            uint32_t distance = ulp_distance(code(n[i], format), code(b[i], format)); \
            distances[i] = distance;                                                  \
            largest = distance > largest ? distance : largest;                        \
        }                                                                             \
        return largest;                                                               \
    } while (0)

static uint32_t ulp_floats(const Block *block, const float *n, const float *b,
                           uint32_t *restrict distances)
{
    const UlpFormat format = *block->ulp;
    const size_t count = block->count;
    uint32_t largest = 0;
    if (format.shift == 0)
        KERNEL_DISTANCES(ulp_code_wide, 0);
    if (format.shift == 16 && block->golden_dtype == block->target_dtype)
        KERNEL_DISTANCES(ulp_code_wide, 16);
    KERNEL_DISTANCES(ulp_code, format);
}

static void apply_signs(float *values, size_t count, bool neg, bool conj)
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

static void start(const Block *block, BlockResult *out)
{
    out->nn = out->bb = out->nb = out->dd = out->max_abs = out->max_relative = 0;
    out->thousandth = out->five_thousandths = out->golden_zero = 0;
    out->golden_nan = out->target_nan = out->golden_inf = out->target_inf = 0;
    out->mismatch = out->first_mismatch = out->max_ulp = 0;
    out->finite = (uint32_t)block->count;
    out->has_ulp = false;
}

// Elements that were set to 0 do not count as close under the own rule.
static void discount(const Block *block, BlockResult *out)
{
    uint32_t removed = block->rule->own ? (uint32_t)block->count - out->finite : 0;
    out->thousandth -= removed;
    out->five_thousandths -= removed;
}

static void own_errors(const Block *block, const float *n, const float *b, BlockResult *out)
{
    judge_own(n, b, block->count, out);
    if (block->ulp)
        out->max_ulp = ulp_floats(block, n, b, out->ulp);
}

static void msprobe_errors(const Block *block, const float *n, const float *b, BlockResult *out)
{
    float r[BLOCK_ELEMENTS];
    if (block->rule->half)
        relative_halves(n, b, block->count, r);
    else
        relative_floats(block, n, b, r);
    judge_floats(r, block->count, block->rule->half, out);
}

static const float *floats(const void *raw, DType dtype, size_t count, float *out)
{
    return floats_of(raw, dtype, count, out);
}

// Squares of float32 cannot overflow double, so the sums tell whether all elements are finite.
static bool sums_are_finite(const BlockResult *result)
{
    return isfinite(result->nn + result->bb);
}

void kernel_float_block(const Kernel *kernel, const Block *block, BlockResult *out)
{
    float target[BLOCK_ELEMENTS], golden[BLOCK_ELEMENTS];
    size_t count = block->count;
    start(block, out);
    const float *b = kernel->floats(block->golden, block->golden_dtype, count, golden);
    const float *n =
        block->equal ? b : kernel->floats(block->target, block->target_dtype, count, target);
    if (block->target_neg || block->target_conj) {
        n = own_floats(n, target, count);
        apply_signs(target, count, block->target_neg, block->target_conj);
    }
    if (block->golden_neg || block->golden_conj) {
        b = own_floats(b, golden, count);
        apply_signs(golden, count, block->golden_neg, block->golden_conj);
    }
    kernel->sum(n, b, count, out);
    if (!sums_are_finite(out)) {
        n = own_floats(n, target, count);
        b = own_floats(b, golden, count);
        clean_floats(block, target, golden, out);
        kernel->sum(n, b, count, out);
    }
    out->has_ulp = block->ulp && !block->equal;
    if (block->equal && !block->rule->half)
        out->thousandth = out->five_thousandths = (uint32_t)count;
    else if (block->rule->own)
        kernel->own_errors(block, n, b, out);
    else
        msprobe_errors(block, n, b, out);
    discount(block, out);
}

void kernel_double_block(const Block *block, BlockResult *out)
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
    if (block->rule->own) {
        judge_own_doubles(n, b, count, out);
    } else {
        relative_doubles(block, n, b, r);
        judge_doubles(r, count, out);
    }
    discount(block, out);
}

const Kernel *kernel_plain(void)
{
    static const Kernel plain = {sum_floats, own_errors, floats};
    return &plain;
}
