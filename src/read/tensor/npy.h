// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_NPY_H
#define VERNIER_READ_TENSOR_NPY_H

#include "base/error.h"
#include "base/notice.h"
#include "read/tensor/tensor.h"

// NumPy's array files, versions 1 to 3. The header is read as a dict
// literal with three known keys; nothing in it is evaluated.

bool npy_is(Str bytes);  // by the magic

// For bytes that npy_is. More bytes than the shape needs give a notice; fewer are an error.
bool npy_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err);

#endif
