// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_CONTENT_H
#define VERNIER_READ_TENSOR_TORCH_CONTENT_H

#include "base/notice.h"
#include "read/tensor/pickle.h"
#include "read/tensor/tensor.h"

// What a file of torch.save holds, in the ZIP container or the legacy stream: one object as a
// pickle, and the bytes of its storages.

// Where the bytes of a storage lie, by its key.
typedef struct TorchStore {
    Str key, bytes;  // borrowed from the file
    uint32_t crc;    // 0: none
    CrcMark *mark;   // of tensor_crc_fits, or NULL
} TorchStore;

typedef struct TorchStores {
    TorchStore *items;  // by key
    size_t count, capacity;
    bool big_endian;
    // How many elements its tensors may have, together: views share bytes, so that the file does
    // not bound them, and the time to compare them must be bounded.
    uint64_t elements_max;
} TorchStores;

typedef struct TorchContent {
    PickleValue *value;
    TorchStores stores;
} TorchContent;

bool torch_is(Str bytes);  // by the first bytes

// For bytes that torch_is; they must outlive `out`, which lives in `arena`.
bool torch_content_read(const char *path, Str bytes, const PickleBounds *bounds, Arena *arena,
                        TorchContent *out, Notices *notices, Error *err);

// NULL if there is none.
const TorchStore *torch_store_find(const TorchStores *stores, Str key);

#endif
