// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_LIST_H
#define VERNIER_READ_TENSOR_TORCH_LIST_H

#include "base/number.h"
#include "read/tensor/pickle.h"

// Lists of plain values next to tensors (token numbers, lengths, scales), which are one value each
// and not one per element.

typedef enum TorchListKind {
    TORCH_LIST_MIXED,  // no list, or one with a tensor, dict or object in it
    TORCH_LIST_PLAIN,  // numbers, flags, None, texts, and lists and tuples of them
    TORCH_LIST_LONG    // not known: there are more elements than may be looked at
} TorchListKind;

// `left`: how many elements may be looked at, of all lists of a file; less those that were.
TorchListKind torch_list_kind(const PickleValue *value, size_t *left);

// None, a flag or a number as Python shows it, in `buffer` or a constant; empty for all else.
Str torch_plain_text(const PickleValue *value, char buffer[NUMBER_BYTES]);

// As Python shows a plain list. Beyond 200 bytes it is cut, and ends in the number of its elements
// and the CRC-32 of the whole: "[0, 1, 2, ... 600000 values, crc32 1a2b3c4d]".
Str torch_list_text(const PickleValue *value, Arena *arena);

// At most 64 elements with one in them that is no integer: rounding may differ, so that they are
// compared one by one and not as text.
bool torch_list_is_few_reals(const PickleValue *value);

#endif
