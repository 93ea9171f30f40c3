// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TENSOR_H
#define VERNIER_READ_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// One tensor, wherever its bytes lie: .npy, .pt (ZIP and legacy stream), safetensors. The bytes are
// used in place, in the mapped file; strides and byte order are resolved when elements are read.

typedef enum DType {
    DTYPE_F64,
    DTYPE_F32,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F8_E4M3FN,
    DTYPE_F8_E5M2,
    DTYPE_F8_E8M0,
    DTYPE_I64,
    DTYPE_I32,
    DTYPE_I16,
    DTYPE_I8,
    DTYPE_U64,
    DTYPE_U32,
    DTYPE_U16,
    DTYPE_U8,
    DTYPE_BOOL,
    DTYPE_C64,   // two F32
    DTYPE_C128,  // two F64
    DTYPE_COUNT
} DType;

typedef enum DTypeClass {
    CLASS_FLOAT,
    CLASS_SIGNED,
    CLASS_UNSIGNED,
    CLASS_BOOL,
    CLASS_COMPLEX
} DTypeClass;

const char *dtype_text(DType dtype);  // "float32", "bfloat16", "float8_e4m3fn", "int64", "bool"
uint32_t dtype_size(DType dtype);     // bytes of an element
DTypeClass dtype_class(DType dtype);
bool dtype_is_whole(DType dtype);       // integers and bool
uint32_t dtype_precision(DType dtype);  // significant bits of a float, the hidden one included
bool dtype_find(Str text, DType *out);  // by dtype_text

enum { TENSOR_MAX_RANK = 64 };

typedef struct Tensor {
    DType dtype;
    bool big_endian;
    bool conj, neg;   // values are to be conjugated, negated
    bool contiguous;  // C order without gaps: element i is at data + i * size
    uint32_t rank;    // 0: a scalar
    uint64_t count;   // elements
    uint64_t shape[TENSOR_MAX_RANK];
    uint64_t stride[TENSOR_MAX_RANK];  // in elements, first axis first
    const unsigned char *data;         // the first element; borrowed, any alignment
    // What the container (a ZIP member) says of the bytes the tensor lies in: tensor_crc_fits.
    Str stored;
    uint32_t stored_crc;
    bool has_crc;
    size_t storage;  // which one of its file of torch.save
} Tensor;

// Sets the shape and C strides; false if the product of the sizes or of the bytes overflows.
bool tensor_set_shape(Tensor *tensor, DType dtype, uint32_t rank, const uint64_t *shape);

// Recomputes `contiguous` from shape and stride.
void tensor_check_contiguous(Tensor *tensor);

// The tensor without axes of size 1.
Tensor tensor_squeeze(const Tensor *tensor);

bool tensor_same_shape(const Tensor *a, const Tensor *b);

// "[2, 3]", "[]"; at most `size` bytes with the final NUL, cut with "..." if longer.
void tensor_shape_text(const Tensor *tensor, char *out, size_t size);

// False if the container has a checksum of the stored bytes that does not fit them: the file is
// damaged. Reads them all, but where `mark`, which the views of one storage share and which begins
// as 0, has the answer; NULL: no mark. True where there is no checksum.
typedef _Atomic unsigned char CrcMark;
bool tensor_crc_fits(const Tensor *tensor, CrcMark *mark);

// Tensors that a file holds by name and that could not be read: no file without them.
typedef struct UnreadNames {
    Str *items;
    size_t count, capacity;
} UnreadNames;

// Elements [first, first + count) in C order as raw native values, next to each other and aligned
// for their type: in place where they lie so, else copied to `buffer` (count * dtype_size bytes,
// aligned for double). conj and neg are not applied.
const void *tensor_elements(const Tensor *tensor, uint64_t first, size_t count, void *buffer);

#endif
