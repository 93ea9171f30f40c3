// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_SHARD_DIMS_H
#define VERNIER_READ_DUMP_SHARD_DIMS_H

#include "base/str.h"
#include "read/tensor/tensor.h"

// How SGLang's dumper says which axes of a tensor lie in parts on several ranks: names apart by
// blanks, each with the groups of ranks that share it, the outermost first.
//     b s[cp:zigzag,sp] h[tp] d      since 2026
//     b s(cp,zigzag) h(tp,partial)   before
//     t (heads*size)[tp] # dp:=moe_dp

enum { SHARD_SHARES_MAX = 8 };

typedef struct ShardShare {
    Str group;     // "tp", "cp", "ep", "sp"
    uint32_t dim;  // of the tensor
    bool packed;   // the dim is called t: sequences of several lengths after each other
    bool zigzag;   // rank r of n holds the chunks r and 2 n - 1 - r
    bool partial;  // each rank has a term of the sum
} ShardShare;

typedef struct ShardDims {
    ShardShare items[SHARD_SHARES_MAX];  // in the order in which they are joined
    size_t count;
    uint32_t rank;  // of the tensor
} ShardDims;

// False: it is not written so. Texts borrow from `text`.
bool shard_dims_parse(Str text, ShardDims *out);

#endif
