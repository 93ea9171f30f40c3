// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TENSOR_STATISTICS_H
#define VERNIER_READ_TENSOR_TENSOR_STATISTICS_H

#include "read/tensor/tensor.h"

// What a statistics dump would say of a tensor: NaN if one element is NaN, and for no elements.
// Complex numbers: of both parts. Sums in double, in a fixed order.
typedef struct TensorStatistics {
    double max, min, mean, norm;
} TensorStatistics;

void tensor_statistics(const Tensor *tensor, TensorStatistics *out);

#endif
