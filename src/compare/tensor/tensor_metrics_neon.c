// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/tensor_metrics_kernel.h"

// The steps with NEON, which every aarch64 processor has. Each does what its plain form in
// tensor_metrics_kernel.c does, in the same order; relative errors and distances are left to that
// form, which compilers turn into vectors by themselves.

#if defined(__aarch64__)

#include <arm_neon.h>
#include <string.h>

// Lanes 0 and 1, 2 and 3, 4 and 5, 6 and 7.
typedef struct Lanes {
    float64x2_t nn[4], bb[4], nb[4], dd[4], max[4];
} Lanes;

KERNEL_INLINE void pair_add(Lanes *to, int pair, float64x2_t x, float64x2_t y)
{
    float64x2_t d = vsubq_f64(x, y);
    to->nn[pair] = vfmaq_f64(to->nn[pair], x, x);
    to->bb[pair] = vfmaq_f64(to->bb[pair], y, y);
    to->nb[pair] = vfmaq_f64(to->nb[pair], x, y);
    to->dd[pair] = vaddq_f64(to->dd[pair], vmulq_f64(d, d));
    to->max[pair] = vmaxnmq_f64(to->max[pair], vabsq_f64(d));
}

KERNEL_INLINE void eight_add(Lanes *to, const float *n, const float *b)
{
    float32x4_t x0 = vld1q_f32(n), x1 = vld1q_f32(n + 4), y0 = vld1q_f32(b), y1 = vld1q_f32(b + 4);
    pair_add(to, 0, vcvt_f64_f32(vget_low_f32(x0)), vcvt_f64_f32(vget_low_f32(y0)));
    pair_add(to, 1, vcvt_high_f64_f32(x0), vcvt_high_f64_f32(y0));
    pair_add(to, 2, vcvt_f64_f32(vget_low_f32(x1)), vcvt_f64_f32(vget_low_f32(y1)));
    pair_add(to, 3, vcvt_high_f64_f32(x1), vcvt_high_f64_f32(y1));
}

KERNEL_INLINE double tree_sum(const float64x2_t pair[4])
{
    float64x2_t low = vaddq_f64(pair[0], pair[2]), high = vaddq_f64(pair[1], pair[3]);
    float64x2_t two = vaddq_f64(low, high);
    return vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
}

KERNEL_INLINE double tree_max(const float64x2_t pair[4])
{
    float64x2_t low = vmaxnmq_f64(pair[0], pair[2]), high = vmaxnmq_f64(pair[1], pair[3]);
    return vmaxnmvq_f64(vmaxnmq_f64(low, high));
}

static void sum(const float *n, const float *b, size_t count, BlockResult *out)
{
    Lanes lanes = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        eight_add(&lanes, n + i, b + i);
    if (i < count) {
        float rest_n[8] = {0}, rest_b[8] = {0};
        memcpy(rest_n, n + i, (count - i) * sizeof *n);
        memcpy(rest_b, b + i, (count - i) * sizeof *b);
        eight_add(&lanes, rest_n, rest_b);
    }
    out->nn = tree_sum(lanes.nn);
    out->bb = tree_sum(lanes.bb);
    out->nb = tree_sum(lanes.nb);
    out->dd = tree_sum(lanes.dd);
    out->max_abs = tree_max(lanes.max);
}

static void own_errors(const Block *block, const float *n, const float *b, BlockResult *out)
{
    kernel_plain()->own_errors(block, n, b, out);
}

static const float *floats(const void *raw, DType dtype, size_t count, float *out)
{
    const uint16_t *halves = raw;
    size_t i = 0;
    if (dtype != DTYPE_F16)
        return floats_of(raw, dtype, count, out);
    for (; i + 4 <= count; i += 4)
        vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(halves + i))));
    for (; i < count; i++)
        out[i] = f16_value(halves[i]);
    return out;
}

const Kernel *kernel_neon(void)
{
    static const Kernel neon = {sum, own_errors, floats};
    return &neon;
}

#else

const Kernel *kernel_neon(void)
{
    return NULL;
}

#endif
