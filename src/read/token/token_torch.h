// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TOKEN_TOKEN_TORCH_H
#define VERNIER_READ_TOKEN_TOKEN_TORCH_H

#include "read/token/token_rows.h"

// Samples of bytes that torch_is (read/tensor/torch_content.h): lists of numbers and tensors by the
// usual names, in dicts at any depth. Fails if there are none.
bool token_read_torch(const char *path, Str bytes, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices, Error *err);

#endif
