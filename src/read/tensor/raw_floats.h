// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_RAW_FLOATS_H
#define VERNIER_READ_TENSOR_RAW_FLOATS_H

#include "read/tensor/tensor.h"

// Logits as llama.cpp's model-conversion examples write them (data/llamacpp-NAME.bin and
// pytorch-NAME.bin): little-endian float32 values, nothing else.

// By the ending, the size, and the first thousand values, which must all be as large as those of
// models are: other binary files are no tensors.
bool raw_floats_is(const char *path, Str bytes);

// One axis. The bytes are borrowed.
Tensor raw_floats_tensor(Str bytes);

#endif
