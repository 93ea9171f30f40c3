// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_TOKENS_H
#define VERNIER_COMPARE_MATCH_TOKENS_H

#include "base/notice.h"

// The token ids that two runs were fed: arrays of whole numbers (.npy, .pt), one file a side or
// folders whose files pair by name.

typedef struct TokensFact {
    uint64_t files;          // pairs that were compared
    uint64_t elements;       // of golden
    uint64_t different;      // elements that differ
    uint64_t shape_differs;  // pairs whose shapes differ: not compared element by element
    uint64_t only[2];        // files that only golden, only target has
    Str first_file;          // of the first difference
    uint64_t first_at;       // its element, in C order
    int64_t golden, target;  // the ids there
    int64_t largest;         // largest id on either side
    int64_t smallest;
} TokensFact;

// Fails if a side cannot be read, holds no array, or an array that is not of whole numbers.
bool tokens_compare(const char *golden, const char *target, Arena *arena, TokensFact *out,
                    Notices *notices, Error *err);

#endif
