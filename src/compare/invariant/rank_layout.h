// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_RANK_LAYOUT_H
#define VERNIER_COMPARE_INVARIANT_RANK_LAYOUT_H

#include "compare/invariant/witness.h"
#include "read/settings/parallel_layout.h"

// Which ranks hold the same weights (copies: data parallel, context parallel), and which share them
// (tensor parallel): as told, or found from what the dumps of one step hold.

#define GROUP_UNKNOWN SIZE_MAX

typedef struct RankPlace {
    int64_t rank;
    size_t copies;  // number of the set of ranks that hold the same; GROUP_UNKNOWN
    size_t shares;  // number of the set of ranks that share one copy; GROUP_UNKNOWN
} RankPlace;

typedef struct RankLayout {
    RankPlace *places;  // by rank
    size_t count;
    bool given, whole;                // whole: as stated, with no sequence in parts
    bool copies_known, shares_known;  // of any rank
    int64_t pipeline;  // ranks that pass tensors on to each other, with the first rank; 1: none
    Str against;       // groups of communications that cannot be so, "[0, 1], [2, 3]"; empty: none
    Str text;          // "dp=2 (ranks 0, 1), found: their weights are equal"
} RankLayout;

// From the dumps of one step. Communications whose tensors have two dimensions or more, before the
// first backward, in a group of whose weight matrices a quarter
// or more differ: tensor parallel. Else a reduction
// after the first backward, or weight matrices that are mostly equal: copies.
void rank_layout_find(const RankWitness *ranks, size_t count, Arena *arena, RankLayout *out);

// As told; groups that work on one activation, or reduce for equal weights, over several stages of
// the pipeline that was given are against it (but for that of first and last: tied embeddings).
// `dp` is the number of copies, 0: as many as there are. False: *err says why these ranks
// cannot be laid out so.
bool rank_layout_take(const ParallelLayout *layout, int64_t dp, const RankWitness *ranks,
                      size_t count, Arena *arena, RankLayout *out, Error *err);

// NULL: not a rank of the layout.
const RankPlace *rank_layout_place(const RankLayout *layout, int64_t rank);

#endif
