// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor_metrics_kernel.h"

// The steps with AVX2, FMA and F16C, chosen at run time. Each does what its plain form in
// tensor_metrics_kernel.c does, in the same order, and gives the rest of a block to it.

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2,fma,f16c")))
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

// Counts are kept as negative numbers: a comparison that holds is -1.
typedef struct Errors {
    __m256i largest, within1, within5, max_ulp;
} Errors;

// Where the bits of an element's place in the order of its dtype come from.
typedef enum Grid { GRID_F32, GRID_BF16, GRID_F16 } Grid;

// Signed by bit 31 of `bits`; both zeros are 0.
INLINE __m256i signed_code(__m256i magnitude, __m256i bits)
{
    return _mm256_sign_epi32(magnitude, _mm256_or_si256(bits, _mm256_set1_epi32(1)));
}

INLINE __m256i code(Grid grid, __m256 values, const uint16_t *raw)
{
    if (grid == GRID_F16) {
        __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)raw);
        __m256i half = _mm256_cvtepu16_epi32(eight);
        return signed_code(_mm256_and_si256(half, _mm256_set1_epi32(0x7fff)),
                           _mm256_slli_epi32(half, 16));
    }
    __m256i bits = _mm256_castps_si256(values);
    __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff));
    return signed_code(_mm256_srli_epi32(magnitude, grid == GRID_BF16 ? 16 : 0), bits);
}

INLINE Errors errors_add(Errors to, __m256 x, __m256 y)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), zero = _mm256_setzero_ps();
    __m256 d = _mm256_sub_ps(x, y);
    __m256 r = _mm256_andnot_ps(sign, _mm256_div_ps(d, y));
    r = _mm256_andnot_ps(_mm256_cmp_ps(d, zero, _CMP_EQ_OQ), r);  // 0/0 is no error
    __m256i bits = _mm256_castps_si256(r);
    __m256i limit1 = _mm256_castps_si256(_mm256_set1_ps(0.001f));
    __m256i limit5 = _mm256_castps_si256(_mm256_set1_ps(0.005f));
    to.largest = _mm256_max_epi32(to.largest, bits);
    to.within1 = _mm256_add_epi32(to.within1, _mm256_cmpgt_epi32(limit1, bits));
    to.within5 = _mm256_add_epi32(to.within5, _mm256_cmpgt_epi32(limit5, bits));
    return to;
}

INLINE __m256i distances_add(__m256i largest, __m256i p, __m256i q, uint32_t *out)
{
    __m256i distance = _mm256_sub_epi32(_mm256_max_epi32(p, q), _mm256_min_epi32(p, q));
    _mm256_storeu_si256((__m256i *)(void *)out, distance);
    return _mm256_max_epu32(largest, distance);
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

// Fetches what follows in the file while this block is worked on.
INLINE void fetch_next(const Block *block, size_t i, uint32_t size)
{
    const char *golden = block->golden, *target = block->target;
    _mm_prefetch(golden + (BLOCK_ELEMENTS + i) * size, _MM_HINT_T0);
    _mm_prefetch(target + (BLOCK_ELEMENTS + i) * size, _MM_HINT_T0);
}

INLINE bool own_errors_of(Grid grid, const Block *block, const float *n, const float *b,
                          BlockResult *out)
{
    const __m256i zero = _mm256_setzero_si256();
    const uint16_t *raw_n = block->target, *raw_b = block->golden;
    Errors errors = {zero, zero, zero, zero};
    for (size_t i = 0; i < BLOCK_ELEMENTS; i += 8) {
        __m256 x = _mm256_loadu_ps(n + i), y = _mm256_loadu_ps(b + i);
        errors = errors_add(errors, x, y);
        errors.max_ulp = distances_add(errors.max_ulp, code(grid, x, raw_n + i),
                                       code(grid, y, raw_b + i), out->ulp + i);
        if (i % 16 == 0)
            fetch_next(block, i, grid == GRID_F32 ? 4 : 2);
    }
    uint32_t largest = highest(errors.largest);
    out->max_relative = (double)float_of_bits(largest);
    out->thousandth = total(errors.within1);
    out->five_thousandths = total(errors.within5);
    out->max_ulp = highest(errors.max_ulp);
    return largest < 0x7f800000u;
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

WITH_AVX2 static void floats_of_halves(const uint16_t *raw, size_t count, float *out)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)(raw + i));
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(eight));
    }
    for (; i < count; i++)
        out[i] = f16_value(raw[i]);
}

// Clang 14 does not know this feature's name in __builtin_cpu_supports.
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

const Kernel *kernel_avx2(void)
{
    static const Kernel avx2 = {sum, own_errors, floats_of_halves};
    bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    return able ? &avx2 : NULL;
}

#else

const Kernel *kernel_avx2(void)
{
    return NULL;
}

#endif
