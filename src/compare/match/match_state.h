// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_MATCH_STATE_H
#define VERNIER_COMPARE_MATCH_MATCH_STATE_H

#include "compare/match/match_key.h"

// What the steps of matching share. Only for the files match*.c. Nothing here knows which side is
// golden: side 0 is the one that `match_ops` takes first, so that swapped sides give swapped pairs.

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
} Matcher;

static inline void match_pair(Matcher *matcher, uint32_t first, uint32_t second)
{
    matcher->partner[0][first] = second;
    matcher->partner[1][second] = first;
}

#endif
