// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/tensor_statistics.h"

#include <math.h>

#include "read/tensor/tensor_values.h"

// Element i of a block goes to lane i % 8 of each figure, whatever the instruction set. Vectors of
// the compiler's own: it splits them where a processor has shorter ones.
enum { LANES = 8, HALF = LANES / 2 };

typedef float Floats __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t Places __attribute__((vector_size(LANES * sizeof(float))));
typedef float HalfFloats __attribute__((vector_size(HALF * sizeof(float))));
typedef double Half __attribute__((vector_size(HALF * sizeof(double))));

typedef union Sums {
    Half half[2];
    double lane[LANES];
} Sums;

typedef struct Lanes {
    Sums sum, squares;
    double max[LANES], min[LANES];
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

KERNEL_INLINE void add_extremes(Lanes *lanes, size_t lane, double most, double least)
{
    lanes->max[lane] = most > lanes->max[lane] ? most : lanes->max[lane];
    lanes->min[lane] = least < lanes->min[lane] ? least : lanes->min[lane];
}

KERNEL_INLINE void add_value(Lanes *lanes, size_t lane, double value)
{
    lanes->sum.lane[lane] += value;
    lanes->squares.lane[lane] += value * value;
    add_extremes(lanes, lane, value, value);
}

// The value of `from` where its bit of the mask is set; comparisons with NaN set none.
KERNEL_INLINE void take_where(const Places *mask, const Floats *from, Floats *to)
{
    *to = (Floats)((*mask & (Places)*from) | (~*mask & (Places)*to));
}

KERNEL_INLINE void add_floats(const float *values, size_t count, Lanes *lanes)
{
    Sums sum = lanes->sum, squares = lanes->squares;
    Floats zero = {0}, top = zero - (float)INFINITY, bottom = zero + (float)INFINITY;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        Floats eight;
        memcpy(&eight, values + i, sizeof eight);
        Places above = eight > top, below = eight < bottom;
        take_where(&above, &eight, &top);
        take_where(&below, &eight, &bottom);
        for (size_t half = 0; half < 2; half++) {
            HalfFloats four;
            memcpy(&four, values + i + half * HALF, sizeof four);
            Half value = __builtin_convertvector(four, Half);
            sum.half[half] += value;
            squares.half[half] += value * value;
        }
    }
    lanes->sum = sum;
    lanes->squares = squares;
    for (size_t lane = 0; lane < LANES; lane++)
        add_extremes(lanes, lane, (double)top[lane], (double)bottom[lane]);
    for (size_t lane = 0; i + lane < count; lane++)
        add_value(lanes, lane, (double)values[i + lane]);
}

KERNEL_INLINE void add_block(const void *raw, DType dtype, size_t count, Lanes *lanes)
{
    float floats[BLOCK_ELEMENTS];
    double doubles[BLOCK_ELEMENTS];
    if (dtype_fits_float(dtype)) {
        add_floats(floats_of(raw, dtype, count, floats), count, lanes);
        return;
    }
    const double *values = doubles_of(raw, dtype, count, doubles);
    for (size_t i = 0; i < count; i++)
        add_value(lanes, i % LANES, values[i]);
}

static void add_plain(const void *raw, DType dtype, size_t count, Lanes *lanes)
{
    add_block(raw, dtype, count, lanes);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_avx2(const void *raw, DType dtype, size_t count,
                                                     Lanes *lanes)
{
    add_block(raw, dtype, count, lanes);
}
#endif

typedef void (*AddBlock)(const void *raw, DType dtype, size_t count, Lanes *lanes);

static AddBlock add_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return add_avx2;
#endif
    return add_plain;
}

static void join_lanes(const Lanes *lanes, uint64_t count, TensorStatistics *out)
{
    double sum = 0, squares = 0;
    *out = (TensorStatistics){.max = lanes->max[0], .min = lanes->min[0]};
    for (int lane = 0; lane < LANES; lane++) {
        sum += lanes->sum.lane[lane];
        squares += lanes->squares.lane[lane];
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
    AddBlock add = add_best();
    for (int lane = 0; lane < LANES; lane++) {
        lanes.max[lane] = -(double)INFINITY;
        lanes.min[lane] = (double)INFINITY;
    }
    for (uint64_t first = 0; first < parts.count; first += BLOCK_ELEMENTS) {
        uint64_t left = parts.count - first;
        size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        const void *elements = tensor_elements(&parts, first, count, raw);
        if (!parts.neg && !parts.conj) {
            add(elements, parts.dtype, count, &lanes);
            continue;
        }
        const double *block = doubles_of(elements, parts.dtype, count, values);
        for (size_t i = 0; i < count; i++)
            values[i] = parts.neg != (parts.conj && i % 2 == 1) ? -block[i] : block[i];
        add(values, DTYPE_F64, count, &lanes);
    }
    *out = (TensorStatistics){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (parts.count)
        join_lanes(&lanes, parts.count, out);
}
