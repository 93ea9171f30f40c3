// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_SYMBOLS_H
#define VERNIER_READ_TENSOR_TORCH_SYMBOLS_H

#include "read/tensor/pickle.h"

// Every name that may are in a pickle of torch.save; all others are refused. None is ever looked
// up, imported or called: they are words with a meaning for the reader.

// What a name on the list stands for; `detail` of the symbol next to it.
typedef enum Meaning {
    MEANS_STORAGE,      // DType of its elements
    MEANS_RAW_STORAGE,  // counts bytes; the dtype comes with the tensor, else this one
    MEANS_ODD_STORAGE,  // quantised: reported only; DType of the same size
    MEANS_DTYPE,        // DType
    MEANS_REBUILD,      // arguments at least: storage, offset, size, stride …
    MEANS_REBUILD_V3,   // the same, with a dtype as seventh
    MEANS_WRAPPED,      // the first argument is the tensor
    MEANS_FROM_TYPE,    // arguments: function, class, arguments of the function, state
    MEANS_UNSUPPORTED,  // a kind of tensor that is recognised, but not read
    MEANS_SIZE,         // one argument: a tuple
    MEANS_OTHER         // never looked into
} Meaning;

extern const PickleSymbol torch_symbols[];
extern const size_t torch_symbol_count;

#endif
