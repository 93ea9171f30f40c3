// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_STAGE_H
#define VERNIER_COMPARE_MATCH_STAGE_H

#include "compare/match_key.h"

// Pairs the ops of one kind: by name, and where the names contradict what the ops are, by their
// order (docs/matching.md). Only for the files match*.c. Nothing here knows which side is golden:
// side 0 is the one that `match_ops` takes first, so that swapped sides give swapped pairs.

typedef enum MatchStage {
    STAGE_MODULE,    // forward calls of modules
    STAGE_API,       // everything else but backward and gradients
    STAGE_BACKWARD,  // backward calls
    STAGE_GRADS,
    STAGE_FIXED  // settled by the user
} MatchStage;

typedef struct Matcher {
    MatchSide sides[2];
    MatchKeys keys;
    uint32_t *partner[2];  // by side and op, OP_NONE
    uint8_t *stage[2];     // MatchStage by side and op
    bool scoped;           // which module an op lies in is known on both sides
    bool fuzzy;            // call numbers never count
    bool names_stand;      // a pair of equal names is never taken apart
} Matcher;

void match_pair(Matcher *matcher, uint32_t first, uint32_t second);

// Pairs the modules or APIs. Names count first; the calls of one API or module are paired anew where
// one side has more of them, or where calls of one number lie in different modules or have different
// shapes: then by order, between the ops around them that are paired already. A new pairing stays
// only where it contradicts itself less.
void match_stage_run(Matcher *matcher, MatchStage stage);

// Backward calls follow their forward calls; what is left pairs by order.
void match_stage_backward(Matcher *matcher);

#endif
