// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/tensor.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

static const struct {
    const char *text;
    uint8_t size, class_, precision;
} dtypes[DTYPE_COUNT] = {
    [DTYPE_F64] = {"float64", 8, CLASS_FLOAT, 53},
    [DTYPE_F32] = {"float32", 4, CLASS_FLOAT, 24},
    [DTYPE_F16] = {"float16", 2, CLASS_FLOAT, 11},
    [DTYPE_BF16] = {"bfloat16", 2, CLASS_FLOAT, 8},
    [DTYPE_F8_E4M3FN] = {"float8_e4m3fn", 1, CLASS_FLOAT, 4},
    [DTYPE_F8_E5M2] = {"float8_e5m2", 1, CLASS_FLOAT, 3},
    [DTYPE_F8_E8M0] = {"float8_e8m0fnu", 1, CLASS_FLOAT, 1},
    [DTYPE_I64] = {"int64", 8, CLASS_SIGNED, 0},
    [DTYPE_I32] = {"int32", 4, CLASS_SIGNED, 0},
    [DTYPE_I16] = {"int16", 2, CLASS_SIGNED, 0},
    [DTYPE_I8] = {"int8", 1, CLASS_SIGNED, 0},
    [DTYPE_U64] = {"uint64", 8, CLASS_UNSIGNED, 0},
    [DTYPE_U32] = {"uint32", 4, CLASS_UNSIGNED, 0},
    [DTYPE_U16] = {"uint16", 2, CLASS_UNSIGNED, 0},
    [DTYPE_U8] = {"uint8", 1, CLASS_UNSIGNED, 0},
    [DTYPE_BOOL] = {"bool", 1, CLASS_BOOL, 0},
    [DTYPE_C64] = {"complex64", 8, CLASS_COMPLEX, 24},
    [DTYPE_C128] = {"complex128", 16, CLASS_COMPLEX, 53},
};

const char *dtype_text(DType dtype)
{
    return dtypes[dtype].text;
}

uint32_t dtype_size(DType dtype)
{
    return dtypes[dtype].size;
}

DTypeClass dtype_class(DType dtype)
{
    return (DTypeClass)dtypes[dtype].class_;
}

bool dtype_is_whole(DType dtype)
{
    return dtype_class(dtype) != CLASS_FLOAT && dtype_class(dtype) != CLASS_COMPLEX;
}

uint32_t dtype_precision(DType dtype)
{
    return dtypes[dtype].precision;
}

bool dtype_find(Str text, DType *out)
{
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (str_equal(text, str_of(dtypes[i].text))) {
            *out = (DType)i;
            return true;
        }
    return false;
}

static bool multiply(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b != 0 && a > UINT64_MAX / b)
        return false;
    *out = a * b;
    return true;
}

bool tensor_set_shape(Tensor *tensor, DType dtype, uint32_t rank, const uint64_t *shape)
{
    uint64_t nonzero = 1, bytes;
    bool empty = false;
    if (rank > TENSOR_MAX_RANK)
        return false;
    for (uint32_t axis = rank; axis-- > 0;) {
        tensor->shape[axis] = shape[axis];
        tensor->stride[axis] = nonzero;
        empty = empty || shape[axis] == 0;
        if (!multiply(nonzero, shape[axis] ? shape[axis] : 1, &nonzero))
            return false;
    }
    if (!multiply(nonzero, dtype_size(dtype), &bytes) || bytes > INT64_MAX)
        return false;
    tensor->dtype = dtype;
    tensor->rank = rank;
    tensor->count = empty ? 0 : nonzero;
    tensor->contiguous = true;
    return true;
}

bool tensor_crc_fits(const Tensor *tensor, CrcMark *mark)
{
    enum { CHUNK = 1 << 30 };
    enum { UNSEEN, FITS, DAMAGED };
    int known = mark ? *mark : UNSEEN;
    if (!tensor->has_crc || known != UNSEEN)
        return known != DAMAGED;
    uLong crc = 0;
    for (size_t at = 0; at < tensor->stored.size; at += CHUNK) {
        size_t left = tensor->stored.size - at;
        crc = crc32(crc, (const Bytef *)tensor->stored.data + at,
                    (uInt)(left < CHUNK ? left : CHUNK));
    }
    bool fits = crc == tensor->stored_crc;
    if (mark)
        *mark = fits ? FITS : DAMAGED;
    return fits;
}

void tensor_check_contiguous(Tensor *tensor)
{
    uint64_t expected = 1;
    tensor->contiguous = true;
    for (uint32_t axis = tensor->rank; axis-- > 0;) {
        if (tensor->shape[axis] == 1)
            continue;
        if (tensor->count != 0 && tensor->stride[axis] != expected)
            tensor->contiguous = false;
        expected *= tensor->shape[axis];
    }
}

Tensor tensor_squeeze(const Tensor *tensor)
{
    Tensor out = *tensor;
    out.rank = 0;
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
        if (tensor->shape[axis] != 1) {
            out.shape[out.rank] = tensor->shape[axis];
            out.stride[out.rank++] = tensor->stride[axis];
        }
    return out;
}

bool tensor_same_shape(const Tensor *a, const Tensor *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

void tensor_shape_text(const Tensor *tensor, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "[");
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        char number[24];
        int length = snprintf(number, sizeof number, "%s%llu", axis ? ", " : "",
                              (unsigned long long)tensor->shape[axis]);
        if (at + (size_t)length + 5 > size) {
            at += (size_t)snprintf(out + at, size - at, "...");
            break;
        }
        memcpy(out + at, number, (size_t)length);
        at += (size_t)length;
    }
    snprintf(out + at, size - at, "]");
}

// The position of an element in C order, as indexes and as offset in elements.
typedef struct Cursor {
    uint64_t index[TENSOR_MAX_RANK];
    uint64_t offset;
} Cursor;

static void cursor_start(const Tensor *tensor, uint64_t element, Cursor *at)
{
    at->offset = 0;
    for (uint32_t axis = tensor->rank; axis-- > 0;) {
        at->index[axis] = element % tensor->shape[axis];
        element /= tensor->shape[axis];
        at->offset += at->index[axis] * tensor->stride[axis];
    }
}

// Moves on by `step` elements of the last axis, which must not pass its end.
static void cursor_advance(const Tensor *tensor, uint64_t step, Cursor *at)
{
    uint32_t axis = tensor->rank - 1;
    at->index[axis] += step;
    at->offset += step * tensor->stride[axis];
    while (at->index[axis] == tensor->shape[axis] && axis > 0) {
        at->offset -= at->index[axis] * tensor->stride[axis];
        at->index[axis] = 0;
        axis--;
        at->index[axis]++;
        at->offset += tensor->stride[axis];
    }
}

static void copy_row(const unsigned char *from, uint64_t stride, uint64_t count, uint32_t size,
                     unsigned char *to)
{
    if (stride == 1) {
        memcpy(to, from, count * size);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + i * size, from + i * stride * size, size);
}

static void gather(const Tensor *tensor, uint64_t first, size_t count, unsigned char *to)
{
    uint32_t size = dtype_size(tensor->dtype);
    if (tensor->contiguous || tensor->rank == 0) {
        memcpy(to, tensor->data + first * size, count * size);
        return;
    }
    Cursor at;
    cursor_start(tensor, first, &at);
    uint32_t last = tensor->rank - 1;
    while (count > 0) {
        uint64_t run = tensor->shape[last] - at.index[last];
        run = run < count ? run : count;
        copy_row(tensor->data + at.offset * size, tensor->stride[last], run, size, to);
        to += run * size;
        count -= run;
        if (count > 0)
            cursor_advance(tensor, run, &at);
    }
}

static void swap_bytes(unsigned char *values, size_t count, uint32_t size)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char kept = values[i * size + low];
            values[i * size + low] = values[i * size + high];
            values[i * size + high] = kept;
        }
}

static bool machine_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

const void *tensor_elements(const Tensor *tensor, uint64_t first, size_t count, void *buffer)
{
    uint32_t size = dtype_size(tensor->dtype);
    uint32_t part = dtype_class(tensor->dtype) == CLASS_COMPLEX ? size / 2 : size;
    bool swap = part > 1 && tensor->big_endian != machine_is_big_endian();
    const unsigned char *direct = tensor->data + (tensor->contiguous ? first * size : 0);
    if (tensor->contiguous && !swap && (uintptr_t)direct % part == 0)
        return direct;
    gather(tensor, first, count, buffer);
    if (swap)
        swap_bytes(buffer, count * (size / part), part);
    return buffer;
}
