// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TENSOR_TENSOR_METRICS_KERNEL_H
#define VERNIER_COMPARE_TENSOR_TENSOR_METRICS_KERNEL_H

#include "read/tensor/tensor_values.h"

// The inner loops of tensor_metrics: one block of both tensors. Element i goes to lane i % 8 of
// each sum and the lanes are added as a tree, whatever the instruction set: equal results
// everywhere.

// How relative errors are formed.
typedef struct RelativeRule {
    bool own;   // vernier: 0 where both are 0, infinite where only golden is
    bool half;  // msprobe8 with two float16: arithmetic in float16
    double golden_epsilon, target_epsilon;  // msprobe: added to both where golden is 0
} RelativeRule;

// Distances in steps of a float format, see tensor_metrics_ulp.h.
typedef struct UlpFormat {
    uint32_t shift, half, odd, base;
    float tiny, scale;
} UlpFormat;

// One block: raw elements of both sides, next to each other and aligned.
typedef struct Block {
    const void *golden, *target;
    DType golden_dtype, target_dtype;
    bool golden_neg, target_neg, golden_conj, target_conj;
    size_t count;          // at most BLOCK_ELEMENTS
    bool equal;            // the bytes are known to be equal
    bool inf_sign;         // +Inf and -Inf are different
    float known_relative;  // own rule: relative errors up to this need not be found
    const RelativeRule *rule;
    const UlpFormat *ulp;  // NULL: no distances wanted
} Block;

typedef struct BlockResult {
    double nn, bb, nb, dd;  // sums of n*n, b*b, n*b, (n-b)^2 over elements finite on both sides
    double max_abs;
    double max_relative;  // NaN wins; under the own rule the largest finite one
    uint32_t thousandth, five_thousandths, golden_zero;
    uint32_t finite, golden_nan, target_nan, golden_inf, target_inf;
    uint32_t mismatch, first_mismatch;  // first one, valid if there is any
    uint32_t max_ulp;
    bool has_ulp;  // `ulp` is filled for all elements (0 where not finite)
    uint32_t ulp[BLOCK_ELEMENTS];
} BlockResult;

// The steps that cost the time, in the form that an instruction set does best. All forms give the
// same bits: products of two float32 are exact in double, so fusing them with an addition changes
// nothing; (n-b)^2 is never fused.
typedef struct Kernel {
    // nn, bb, nb, dd and max_abs of float32 values.
    void (*sum)(const float *n, const float *b, size_t count, BlockResult *out);
    // max_relative, thousandth, five_thousandths, golden_zero under the own rule, and the distances
    // with max_ulp if the block asks for them.
    void (*own_errors)(const Block *block, const float *n, const float *b, BlockResult *out);
    // Values of a float dtype, as floats_of.
    const float *(*floats)(const void *raw, DType dtype, size_t count, float *out);
} Kernel;

const Kernel *kernel_plain(void);  // for any processor

// NULL where the processor or the build has none.
const Kernel *kernel_avx2(void);
const Kernel *kernel_neon(void);

void kernel_float_block(const Kernel *kernel, const Block *block,
                        BlockResult *out);                       // both dtypes fit float32
void kernel_double_block(const Block *block, BlockResult *out);  // any others but complex

#endif
