// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_SPELLING_H
#define VERNIER_COMPARE_MATCH_MATCH_SPELLING_H

#include "compare/mapping/mapping_layer.h"
#include "compare/match/match_pairs.h"
#include "read/dump/op_name.h"

// One spelling for the names of both sides: what the user's mapping files say, and between
// frameworks that of PyTorch. Only for the files match*.c.

typedef struct Spelling {
    const MatchOptions *options;
    bool target;               // the mapping files are about this side
    bool to_pytorch;           // this side is MindSpore's, the other is not
    bool without_class;        // classes of modules are called differently
    bool unscoped;             // kernels of MindSpore: the other side leaves out their scope
    bool merged;               // APIs of later ranks are marked, "matmul_rank1"
    const Names *wrapper;      // parts of module paths that this side alone adds, or NULL
    bool plain;                // nothing of the above: every name stays as it is
    const Names *other_stems;  // of the APIs of the other side; for to_pytorch
    const LayerPaths *paths;   // under a layer mapping
    Arena *arena;
} Spelling;

// How the names of each side are to be written. The result lives in `arena`.
void spelling_choose(const MatchSide sides[2], const MatchOptions *options, Arena *arena,
                     Spelling out[2]);

// The stem of a merged API without the marks of ranks, "Torch.matmul" of
// "Torch.matmul_rank1_rank3": itself, or in the arena.
Str spelling_without_rank(Arena *arena, Str stem);

// The stem of an op or a module ("Module.net.fc.Linear", "Functional.dense") in the common
// spelling.
Str spelling_stem(const Spelling *spelling, const OpName *name);

#endif
