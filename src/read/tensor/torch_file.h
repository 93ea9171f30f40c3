// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_FILE_H
#define VERNIER_READ_TENSOR_TORCH_FILE_H

#include "base/error.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// Files of torch.save that hold one tensor: the ZIP container and the legacy stream. The pickle in
// them is read as data by a small machine with a fixed list of symbols (read/tensor/pickle.h);
// nothing is imported, called or written. The elements are used in place.

// For bytes that torch_is (read/tensor/torch_content.h). Dicts and lists of tensors are refused:
// they are checkpoints (read/tensor/torch_state.h).
bool torch_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err);

#endif
