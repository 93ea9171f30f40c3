// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/weight_view.h"

#include <math.h>

#include "read/tensor/tensor_values.h"

WeightSpan weight_span_whole(uint32_t rank, const uint64_t *shape)
{
    return (WeightSpan){.groups = 1, .rows = rank ? shape[0] : 1};
}

static Tensor transpose(const Tensor *tensor)
{
    Tensor out = *tensor;
    out.shape[0] = tensor->shape[1];
    out.shape[1] = tensor->shape[0];
    out.stride[0] = tensor->stride[1];
    out.stride[1] = tensor->stride[0];
    tensor_check_contiguous(&out);
    return out;
}

// [n, rest…] becomes [groups, n / groups, rest…].
static void split_first_axis(Tensor *tensor, uint64_t groups)
{
    for (uint32_t axis = tensor->rank++; axis > 0; axis--) {
        tensor->shape[axis] = tensor->shape[axis - 1];
        tensor->stride[axis] = tensor->stride[axis - 1];
    }
    tensor->shape[1] /= groups;
    tensor->shape[0] = groups;
    tensor->stride[0] = tensor->stride[1] * tensor->shape[1];
}

Tensor weight_view(const Tensor *whole, const WeightSpan *span)
{
    if (whole->rank == 0)
        return *whole;
    Tensor out = span->transposed && whole->rank == 2 ? transpose(whole) : *whole;
    uint32_t axis = span->groups > 1 && out.rank < TENSOR_MAX_RANK;
    if (axis)
        split_first_axis(&out, span->groups);
    out.data += span->first * out.stride[axis] * dtype_size(out.dtype);
    if (out.shape[axis])
        out.count = out.count / out.shape[axis] * span->rows;
    out.shape[axis] = span->rows;
    tensor_check_contiguous(&out);
    return out;
}

// One element as a number; the real part of a complex one. `element` counts in C order.
static double value_at(const Tensor *tensor, uint64_t element)
{
    double raw[2], value[2];
    const void *bytes = tensor_elements(tensor, element, 1, raw);
    DType dtype = tensor->dtype == DTYPE_C64    ? DTYPE_F32
                  : tensor->dtype == DTYPE_C128 ? DTYPE_F64
                                                : tensor->dtype;
    double out = *doubles_of(bytes, dtype, 1, value);
    return tensor->neg ? -out : out;
}

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
    bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
    return bits ^ (bits >> 32);
}

// One place in each of `samples` equal stretches, not at the same point of each: weights have
// periods.
static uint64_t place_of(uint64_t sample, uint64_t samples, uint64_t count)
{
    uint64_t stretch = count / samples;
    return sample * stretch + mix(sample + 1) % stretch;
}

uint64_t weight_take_samples(const Tensor *tensor, double *out)
{
    uint64_t samples = tensor->count < WEIGHT_SAMPLES ? tensor->count : WEIGHT_SAMPLES;
    for (uint64_t i = 0; i < samples; i++)
        out[i] = value_at(tensor, place_of(i, samples, tensor->count));
    return samples;
}

double weight_sample_distance(const double *a, const double *b, uint64_t count)
{
    double difference = 0, norm_a = 0, norm_b = 0;
    for (uint64_t i = 0; i < count; i++) {
        // cppcheck-suppress uninitvar; so many were set
        if (!isfinite(a[i]) || !isfinite(b[i]))
            continue;
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm_a += a[i] * a[i];
        norm_b += b[i] * b[i];
    }
    return difference == 0 ? 0 : sqrt(difference / fmax(norm_a, norm_b));
}

double weight_distance(const Tensor *a, const Tensor *b, uint64_t samples)
{
    double one[WEIGHT_SAMPLES], two[WEIGHT_SAMPLES];
    samples = samples < a->count ? samples : a->count;
    samples = samples < WEIGHT_SAMPLES ? samples : WEIGHT_SAMPLES;
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t place = place_of(i, samples, a->count);
        one[i] = value_at(a, place);
        two[i] = value_at(b, place);
    }
    return weight_sample_distance(one, two, samples);
}

static uint64_t add_block(const double *values, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += mix(bits_of_double(values[i] + 0.0));  // -0 and 0 are one value
    return sum;
}

uint64_t weight_fingerprint(const Tensor *tensor)
{
    double values[BLOCK_ELEMENTS], raw[2 * BLOCK_ELEMENTS];
    DType dtype = tensor->dtype;
    size_t parts = 1;
    if (dtype_class(dtype) == CLASS_COMPLEX) {
        dtype = dtype == DTYPE_C64 ? DTYPE_F32 : DTYPE_F64;
        parts = 2;
    }
    uint64_t sum = 0, block = BLOCK_ELEMENTS / parts;
    for (uint64_t first = 0; first < tensor->count; first += block) {
        uint64_t left = tensor->count - first;
        size_t count = (size_t)(left < block ? left : block);
        const void *elements = tensor_elements(tensor, first, count, raw);
        sum += add_block(doubles_of(elements, dtype, count * parts, values), count * parts);
    }
    return sum;
}
