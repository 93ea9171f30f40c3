// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_MINDSPORE_FILE_H
#define VERNIER_READ_TENSOR_MINDSPORE_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// A checkpoint of MindSpore (.ckpt): a protocol buffer without a header,
//     Checkpoint { repeated Value value = 1 }
//     Value { string tag = 1; TensorProto tensor = 2; MapTensorProto maptensor = 3 }
//     TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3 }
// A large tensor is cut into values of one tag, in order. "crc_num" and ten bytes after it all are
// a CRC-32 of what stands before.

typedef struct MindsporeTensor {
    Str name;
    Str content;            // in the mapped file; of a tensor in parts, a copy in the arena
    const uint64_t *shape;  // rank sizes
    uint32_t rank;
    DType dtype;
} MindsporeTensor;

typedef struct MindsporeFile {
    MindsporeTensor *items;  // by name, digit runs by value; every name once
    size_t count, capacity;
    UnreadNames unread;
    File file;
} MindsporeFile;

// By the first value: its lengths fit each other. Also what MindSpore encrypted.
bool mindspore_is(Str bytes);

// Refused: encrypted files, MapTensors, a checksum that does not fit. Texts are passed over. A
// tensor of an unknown type, or whose bytes do not fit its shape, is left out, with a notice; a
// file that breaks off gives its whole values. Names and lists live in `arena`.
bool mindspore_open(const char *path, Arena *arena, MindsporeFile *out, Notices *notices,
                    Error *err);
void mindspore_close(MindsporeFile *file);

// The same from bytes in memory, which must outlive `out`.
bool mindspore_read(const char *path, Str bytes, Arena *arena, MindsporeFile *out, Notices *notices,
                    Error *err);

// Borrowed: valid as long as the file, or the bytes, it was read of.
Tensor mindspore_tensor(const MindsporeFile *file, size_t index);

#endif
