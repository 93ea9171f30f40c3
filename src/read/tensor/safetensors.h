// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_SAFETENSORS_H
#define VERNIER_READ_TENSOR_SAFETENSORS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// A checkpoint in the safetensors format: named tensors in one file. 8 bytes of header length, a
// JSON object that gives dtype, shape and place of each, then their bytes, which are used in place.

// Small, as there can be very many; safetensors_tensor gives the whole thing.
typedef struct NamedTensor {
    Str name;
    const uint64_t *shape;  // rank sizes
    uint64_t from, to;      // its bytes, counted from the end of the header
    uint64_t at;            // byte of its name in the file
    uint32_t rank;
    uint8_t dtype;  // DType
    bool known;     // the dtype; always true in a list of SafeTensors
} NamedTensor;

typedef struct SafeTensors {
    NamedTensor *items;  // by name, digit runs by value: layers.2 before layers.10
    size_t count;
    UnreadNames unread;
    Str *keys, *values;  // __metadata__, in the order of the file
    size_t metadata_count;
    Str data;  // what follows the header
    File file;
} SafeTensors;

bool safetensors_is(Str bytes);

// Refused: a header beyond the file or 100 MB, tensors that overlap, leave gaps or reach out of the
// file, repeated names, sizes that do not fit shape and dtype. A tensor of an unknown dtype is left
// out, with a notice. Names and lists live in `arena`.
bool safetensors_open(const char *path, Arena *arena, SafeTensors *out, Notices *notices,
                      Error *err);
void safetensors_close(SafeTensors *file);

// The same from bytes in memory, which must outlive `out`.
bool safetensors_read(const char *path, Str bytes, Arena *arena, SafeTensors *out, Notices *notices,
                      Error *err);

// Index of the tensor, or SIZE_MAX.
size_t safetensors_find(const SafeTensors *file, Str name);

// Borrowed: valid as long as the file, or the bytes, it was read of.
Tensor safetensors_tensor(const SafeTensors *file, size_t index);

#endif
