// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_OP_PROFILE_H
#define VERNIER_COMPARE_OP_PROFILE_H

#include "compare/judge/comparison.h"

// How far off the target's ops are, in few bytes: what stays of every op of a rank when its graphs
// are gone (compare/pair_facts.h), for a picture of all ranks at once.

// Letters of a profile: nothing recorded, within tolerance, beyond it by an error of
// 10^(digit - 8) and more, beyond it without a size (NaN, a checksum, no partner).
enum { PROFILE_NOTHING = '.', PROFILE_CALM = '=', PROFILE_WORST = '9', PROFILE_BINS = 1024 };

// At most PROFILE_BINS letters: of so many ops that follow each other the worst. Linear in the ops.
Str op_profile(const Comparison *comparison, Arena *arena);

// Which letter stands for an op of the target, of `ops`.
static inline size_t op_profile_bin(uint64_t op, uint64_t ops, size_t bins)
{
    return ops > bins ? (size_t)(op * bins / ops) : (size_t)op;
}

#endif
