// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_TENSOR_H
#define VERNIER_READ_TENSOR_TORCH_TENSOR_H

#include "read/tensor/tensor.h"
#include "read/tensor/torch_content.h"

// A tensor as a pickle of torch.save describes it: the call that would rebuild it, with storage,
// offset, sizes and strides, within parameters and subclasses.

// Whether the value stands for a tensor, readable or not.
bool torch_is_tensor(const PickleValue *value);

// The elements are used in place, in the bytes of `stores`.
bool torch_tensor(const char *path, const PickleValue *value, const TorchStores *stores,
                  Tensor *out, Error *err);

#endif
