// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics_kernel.h"

// The steps with AVX2 and FMA, chosen at run time. Each does what its plain form in
// tensor_metrics_kernel.c does, in the same order, and gives the rest of a block to it.

#if defined(__x86_64__)

#include <float.h>
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define INLINE    static inline __attribute__((always_inline)) WITH_AVX2

// Lanes 0 to 3 or 4 to 7.
typedef struct Half {
    __m256d nn, bb, nb, dd, max;
} Half;

INLINE Half half_zero(void)
{
    __m256d zero = _mm256_setzero_pd();
    return (Half){zero, zero, zero, zero, zero};
}

INLINE Half half_add(Half to, const float *n, const float *b)
{
    __m256d x = _mm256_cvtps_pd(_mm_loadu_ps(n)), y = _mm256_cvtps_pd(_mm_loadu_ps(b));
    __m256d d = _mm256_sub_pd(x, y);
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), d);
    to.nn = _mm256_fmadd_pd(x, x, to.nn);
    to.bb = _mm256_fmadd_pd(y, y, to.bb);
    to.nb = _mm256_fmadd_pd(x, y, to.nb);
    to.dd = _mm256_add_pd(to.dd, _mm256_mul_pd(d, d));
    to.max = _mm256_max_pd(size, to.max);
    return to;
}

INLINE double tree_sum(__m256d low, __m256d high)
{
    __m256d half = _mm256_add_pd(low, high);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two));
}

INLINE double tree_max(__m256d low, __m256d high)
{
    __m256d half = _mm256_max_pd(low, high);
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

WITH_AVX2 static void sum(const float *n, const float *b, size_t count, BlockResult *out)
{
    Half low = half_zero(), high = half_zero();
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        low = half_add(low, n + i, b + i);
        high = half_add(high, n + i + 4, b + i + 4);
    }
    if (i < count) {
        float rest_n[8] = {0}, rest_b[8] = {0};
        memcpy(rest_n, n + i, (count - i) * sizeof *n);
        memcpy(rest_b, b + i, (count - i) * sizeof *b);
        low = half_add(low, rest_n, rest_b);
        high = half_add(high, rest_n + 4, rest_b + 4);
    }
    out->nn = tree_sum(low.nn, high.nn);
    out->bb = tree_sum(low.bb, high.bb);
    out->nb = tree_sum(low.nb, high.nb);
    out->dd = tree_sum(low.dd, high.dd);
    out->max_abs = tree_max(low.max, high.max);
}

// Counts are kept as negative numbers: a comparison that holds is -1. `almost` is a little less
// than the largest relative error so far, so that rounding cannot hide a larger one.
typedef struct Errors {
    __m256i within1, within5, max_ulp;
    __m256 almost;
    float largest;
} Errors;

// Where the bits of an element's place in the order of its dtype come from.
typedef enum Grid { GRID_F32, GRID_BF16, GRID_F16 } Grid;

// The bits of 8 elements as integers whose distance is that of the elements if both signs agree.
// The sign is bit 31, or of float16 bit 15.
INLINE __m256i bits_of(Grid grid, __m256 values, const uint16_t *raw)
{
    if (grid == GRID_F16)
        return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)raw));
    __m256i bits = _mm256_castps_si256(values);
    return grid == GRID_BF16 ? _mm256_srai_epi32(bits, 16) : bits;
}

// Signed by the sign of the value; both zeros are 0.
INLINE __m256i signed_code(Grid grid, __m256i bits, __m256 values)
{
    __m256i sign = _mm256_or_si256(_mm256_castps_si256(values), _mm256_set1_epi32(1));
    int magnitude = grid == GRID_F32 ? 0x7fffffff : 0x7fff;
    return _mm256_sign_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(magnitude)), sign);
}

INLINE Errors new_record(Errors to, __m256 d, __m256 size)
{
    // 0/0 is no error.
    __m256 r =
        _mm256_and_ps(_mm256_div_ps(d, size), _mm256_cmp_ps(d, _mm256_setzero_ps(), _CMP_GT_OQ));
    float each[8];
    memcpy(each, &r, sizeof each);
    for (int i = 0; i < 8; i++)
        to.largest = each[i] > to.largest ? each[i] : to.largest;
    to.almost = _mm256_set1_ps(to.largest * 0.999999f);
    return to;
}

INLINE Errors errors_add(Errors to, Grid grid, const Block *block, const float *n, const float *b,
                         size_t i, uint32_t *distances)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 x = _mm256_loadu_ps(n + i), y = _mm256_loadu_ps(b + i);
    __m256i p = bits_of(grid, x, (const uint16_t *)block->target + i);
    __m256i q = bits_of(grid, y, (const uint16_t *)block->golden + i);
    __m256i distance = _mm256_abs_epi32(_mm256_sub_epi32(p, q));
    __m256 d = _mm256_andnot_ps(sign, _mm256_sub_ps(x, y)), size = _mm256_andnot_ps(sign, y);
    __m256 bound1 = _mm256_mul_ps(size, _mm256_set1_ps(0.001f));
    __m256 bound5 = _mm256_mul_ps(size, _mm256_set1_ps(0.005f));
    __m256i within1 = _mm256_castps_si256(_mm256_cmp_ps(d, bound1, _CMP_LE_OQ));
    __m256i within5 = _mm256_castps_si256(_mm256_cmp_ps(d, bound5, _CMP_LE_OQ));
    to.within1 = _mm256_add_epi32(to.within1, within1);
    to.within5 = _mm256_add_epi32(to.within5, within5);
    // Few elements set a new record, and only these are divided; few have different signs.
    __m256 record = _mm256_cmp_ps(d, _mm256_mul_ps(size, to.almost), _CMP_GT_OQ);
    if (__builtin_expect(_mm256_movemask_ps(_mm256_or_ps(record, _mm256_xor_ps(x, y))), 0)) {
        to = new_record(to, d, size);
        p = signed_code(grid, p, x);
        q = signed_code(grid, q, y);
        distance = _mm256_sub_epi32(_mm256_max_epi32(p, q), _mm256_min_epi32(p, q));
    }
    to.max_ulp = _mm256_max_epu32(to.max_ulp, distance);
    _mm256_storeu_si256((__m256i *)(void *)(distances + i), distance);
    return to;
}

INLINE uint32_t total(__m256i lanes)
{
    int32_t each[8];
    memcpy(each, &lanes, sizeof each);
    int32_t sum_of = 0;
    for (int i = 0; i < 8; i++)
        sum_of += each[i];
    return (uint32_t)-sum_of;
}

INLINE uint32_t highest(__m256i lanes)
{
    uint32_t each[8], top = 0;
    memcpy(each, &lanes, sizeof each);
    for (int i = 0; i < 8; i++)
        top = each[i] > top ? each[i] : top;
    return top;
}

INLINE bool own_errors_of(Grid grid, const Block *block, const float *n, const float *b,
                          BlockResult *out)
{
    const __m256i zero = _mm256_setzero_si256();
    Errors errors = {.within1 = zero, .within5 = zero, .max_ulp = zero};
    errors.largest = block->known_relative;
    errors.almost = _mm256_set1_ps(errors.largest * 0.999999f);
    for (size_t i = 0; i < BLOCK_ELEMENTS; i += 8)
        errors = errors_add(errors, grid, block, n, b, i, out->ulp);
    out->max_relative = (double)errors.largest;
    out->thousandth = total(errors.within1);
    out->five_thousandths = total(errors.within5);
    out->max_ulp = highest(errors.max_ulp);
    return errors.largest <= FLT_MAX;
}

WITH_AVX2 static bool errors_f32(const Block *block, const float *n, const float *b,
                                 BlockResult *out)
{
    return own_errors_of(GRID_F32, block, n, b, out);
}

WITH_AVX2 static bool errors_bf16(const Block *block, const float *n, const float *b,
                                  BlockResult *out)
{
    return own_errors_of(GRID_BF16, block, n, b, out);
}

WITH_AVX2 static bool errors_f16(const Block *block, const float *n, const float *b,
                                 BlockResult *out)
{
    return own_errors_of(GRID_F16, block, n, b, out);
}

// Whole blocks of two tensors of one of the common dtypes. Blocks where golden alone is 0 somewhere
// are left to the plain form, as all others.
static void own_errors(const Block *block, const float *n, const float *b, BlockResult *out)
{
    bool plain = block->golden_neg || block->target_neg || block->golden_conj ||
                 block->target_conj || block->golden_dtype != block->target_dtype;
    bool fits = block->count == BLOCK_ELEMENTS && out->finite == BLOCK_ELEMENTS && !plain;
    if (fits && block->ulp && block->golden_dtype == DTYPE_F32 && errors_f32(block, n, b, out))
        return;
    if (fits && block->ulp && block->golden_dtype == DTYPE_BF16 && errors_bf16(block, n, b, out))
        return;
    if (fits && block->ulp && block->golden_dtype == DTYPE_F16 && errors_f16(block, n, b, out))
        return;
    kernel_plain()->own_errors(block, n, b, out);
}

// F16C would be faster still, but asking the processor for it costs more than a small tensor.
WITH_AVX2 static const float *floats(const void *raw, DType dtype, size_t count, float *out)
{
    return floats_of(raw, dtype, count, out);
}

const Kernel *kernel_avx2(void)
{
    static const Kernel avx2 = {sum, own_errors, floats};
    bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return able ? &avx2 : NULL;
}

#else

const Kernel *kernel_avx2(void)
{
    return NULL;
}

#endif
