// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TENSOR_FILE_H
#define VERNIER_READ_TENSOR_TENSOR_FILE_H

#include "base/error.h"
#include "base/file.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// Files of one tensor, of whichever format.

typedef struct TensorFile {
    Tensor tensor;
    File file;
    Arena *arena;  // of a tensor that was made of several files; NULL: its bytes are the file's
} TensorFile;

// Opens the file that holds one tensor; the content tells the format, not the name. Refused in
// words: object, structured and string arrays, checkpoints (several tensors), anything that would
// need code to run. Harmless oddities give notices.
bool tensor_open(const char *path, TensorFile *out, Notices *notices, Error *err);
void tensor_close(TensorFile *file);

// The same from bytes in memory, which must outlive `out`; `path` is only named in messages.
bool tensor_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err);

#endif
