// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_PASS_H
#define VERNIER_COMPARE_MATCH_MATCH_PASS_H

#include "compare/match/match_state.h"

// Pairs ops by their order: what is not paired yet, between what is. Only for the files match*.c.

// What two ops must have in common, as a set of bits.
typedef enum MatchPass {
    BY_NAME = 1,
    BY_CLASS = 2,       // stem and direction
    BY_LEAF = 4,        // the end of the name and the direction
    BY_TYPE = 8,        // class of a module and the direction
    BY_SCOPE = 16,      // the call of the module they lie in
    BY_NEAR = 32,       // the nearest module around them that has a partner
    BY_SIGNATURE = 64,  // shapes
    BY_VALUES = 128,    // statistics of the inputs
    BY_PATH = 256,      // place of a module, whatever its class
    BY_SIZES = 512      // norms of the inputs
} MatchPass;

typedef struct PassOps {
    MatchStage stage;
    const bool *only[2];  // by side and op: which of them; NULL: all of the stage
} PassOps;

// The pairs so far that do not cross are the frame; between two of them the ops that have no
// partner pair up in order as align_sequences says. O(n log n) besides that.
void match_pass_run(Matcher *matcher, const PassOps *ops, MatchPass pass);

// Pairs what has no partner and stands elsewhere in the order, by what `place` tells: first calls
// with equal inputs, then those of one shape. With BY_SCOPE the latter only within a module.
void match_pass_moved(Matcher *matcher, const PassOps *ops, MatchPass place);

// Whether two ops lie in the same place of the hierarchy, as far as that is known.
bool match_pass_same_place(const Matcher *matcher, uint32_t first, uint32_t second);

#endif
