// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_VIEW_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_VIEW_H

#include "read/tensor/tensor.h"

// Parts of weights as tensors of their own, without a copy, and cheap tests whether two of them
// hold the same values.

// Rows of the first axis. A fused weight may hold its parts in groups (q, k and v of one head
// group, then of the next): the axis counts as `groups` equal groups, and of each the rows
// [first, first + rows) are taken.
typedef struct WeightSpan {
    bool transposed;  // the last axis first; two axes only
    uint64_t groups;  // at least 1, a divisor of the size
    uint64_t first, rows;
} WeightSpan;

WeightSpan weight_span_whole(uint32_t rank, const uint64_t *shape);

// The part as a tensor: [rows, rest…], or [groups, rows, rest…] with more than one group. The span
// must fit.
Tensor weight_view(const Tensor *whole, const WeightSpan *span);

enum { WEIGHT_SAMPLES = 64 };

// How far apart two tensors of equal count are, by the L2 norm of the difference at `samples`
// places relative to the larger norm there: 0 equal, about 1.4 unrelated. The places are spread
// evenly and depend on the count alone. 0 where both are all zeros.
double weight_distance(const Tensor *a, const Tensor *b, uint64_t samples);

// Nearer than this they are one weight: those of one model stay far below after any training, and
// unrelated ones lie at 1.4. A smaller limit leaves weights alone, a larger one pairs by chance.
#define WEIGHT_NEAR 0.5

// The same from values taken before: at most WEIGHT_SAMPLES, how many is returned.
uint64_t weight_take_samples(const Tensor *tensor, double *out);
double weight_sample_distance(const double *a, const double *b, uint64_t count);

// A number that depends on the values, not on their order or dtype: equal for a transposed weight;
// for a fused one it is the sum of those of its parts (modulo 2^64). Reads the whole tensor.
uint64_t weight_fingerprint(const Tensor *tensor);

#endif
