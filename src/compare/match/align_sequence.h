// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_ALIGN_SEQUENCE_H
#define VERNIER_COMPARE_MATCH_ALIGN_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

// Pairs two sequences of tokens in order, so that what one of them has more or less costs itself
// and nothing else.

#define ALIGN_NONE UINT32_MAX

typedef struct TokenSequence {
    const uint64_t *items;
    uint32_t count;
} TokenSequence;

// second_of[i] becomes the place in `second` that token i of `first` pairs with, or ALIGN_NONE.
// Pairs are of equal tokens and never cross. With d tokens in all without a partner the pairs are a
// longest common subsequence, found in O((n + m) d), as long as d is at most ALIGN_REACH; beyond it
// the work goes on from the furthest place reached, so that it stays within O((n + m) ALIGN_REACH).
// Memory O(ALIGN_REACH squared). Source: E. Myers, An O(ND) difference algorithm, 1986.
enum { ALIGN_REACH = 1024 };
void align_sequences(TokenSequence first, TokenSequence second, uint32_t *second_of);

// Marks a longest strictly increasing subsequence: kept[i] for i < count. Items that are ALIGN_NONE
// are never kept. O(count log count). Scratch memory is released before it returns.
void align_increasing(const uint32_t *items, uint32_t count, bool *kept);

#endif
