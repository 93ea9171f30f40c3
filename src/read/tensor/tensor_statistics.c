// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/tensor_statistics.h"

#include <math.h>

#include "read/tensor/tensor_values.h"

enum { LANES = 8 };

typedef struct Lanes {
    double sum[LANES], squares[LANES], max[LANES], min[LANES];
} Lanes;

// A complex tensor as real numbers with a last axis of 2; any other as it is.
static Tensor real_parts(const Tensor *tensor)
{
    Tensor out = *tensor;
    if (dtype_class(tensor->dtype) != CLASS_COMPLEX || out.rank == TENSOR_MAX_RANK)
        return out;
    out.dtype = tensor->dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
    for (uint32_t axis = 0; axis < out.rank; axis++)
        out.stride[axis] *= 2;
    out.shape[out.rank] = 2;
    out.stride[out.rank++] = 1;
    out.count *= 2;
    tensor_check_contiguous(&out);
    return out;
}

static void add_block(const double *values, size_t count, Lanes *lanes)
{
    for (size_t i = 0; i < count; i++) {
        size_t lane = i % LANES;
        double value = values[i];
        lanes->sum[lane] += value;
        lanes->squares[lane] += value * value;
        lanes->max[lane] = value > lanes->max[lane] ? value : lanes->max[lane];
        lanes->min[lane] = value < lanes->min[lane] ? value : lanes->min[lane];
    }
}

static void join_lanes(const Lanes *lanes, uint64_t count, TensorStatistics *out)
{
    double sum = 0, squares = 0;
    *out = (TensorStatistics){.max = lanes->max[0], .min = lanes->min[0]};
    for (int lane = 0; lane < LANES; lane++) {
        sum += lanes->sum[lane];
        squares += lanes->squares[lane];
        out->max = lanes->max[lane] > out->max ? lanes->max[lane] : out->max;
        out->min = lanes->min[lane] < out->min ? lanes->min[lane] : out->min;
    }
    out->mean = sum / (double)count;
    out->norm = sqrt(squares);
    if (isnan(out->norm))
        out->max = out->min = out->mean = (double)NAN;
}

void tensor_statistics(const Tensor *tensor, TensorStatistics *out)
{
    Tensor parts = real_parts(tensor);
    double values[BLOCK_ELEMENTS], raw[BLOCK_ELEMENTS];
    Lanes lanes = {0};
    for (int lane = 0; lane < LANES; lane++) {
        lanes.max[lane] = -(double)INFINITY;
        lanes.min[lane] = (double)INFINITY;
    }
    for (uint64_t first = 0; first < parts.count; first += BLOCK_ELEMENTS) {
        uint64_t left = parts.count - first;
        size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        const void *elements = tensor_elements(&parts, first, count, raw);
        const double *block = doubles_of(elements, parts.dtype, count, values);
        for (size_t i = 0; (parts.neg || parts.conj) && i < count; i++)
            values[i] = parts.neg != (parts.conj && i % 2 == 1) ? -block[i] : block[i];
        add_block(parts.neg || parts.conj ? values : block, count, &lanes);
    }
    *out = (TensorStatistics){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (parts.count)
        join_lanes(&lanes, parts.count, out);
}
