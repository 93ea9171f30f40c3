// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_NPZ_FILE_H
#define VERNIER_READ_TENSOR_NPZ_FILE_H

#include "base/file.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// numpy.savez and savez_compressed: a ZIP archive of .npy files, stored or deflated.

typedef struct NpzArray {
    Str name;  // without ".npy"
    Tensor tensor;
} NpzArray;

typedef struct NpzFile {
    NpzArray *items;  // in the order in which they were written
    size_t count, capacity;
    UnreadNames unread;
    File file;
} NpzFile;

bool npz_is(Str bytes);  // a ZIP archive that begins with a .npy file

// An array that cannot be read costs itself. Deflated ones are unpacked in `arena`, together to no
// more than an archive of that size may (gzip_limit), and compared with their checksums; those of
// stored ones are left to tensor_crc_fits. `out` lives in `arena`; npz_read borrows the
// bytes.
bool npz_read(const char *path, Str bytes, Arena *arena, NpzFile *out, Notices *notices,
              Error *err);
bool npz_open(const char *path, Arena *arena, NpzFile *out, Notices *notices, Error *err);
void npz_close(NpzFile *npz);

#endif
