// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_CARD_H
#define VERNIER_PICTURE_COMPARE_CARD_H

#include "compare/judge/comparison.h"
#include "scene/report.h"
#include "scene/scene.h"

// The node card of the first divergence, for a ticket: where it is, its slots on both sides with
// the deciding cell outlined, the deciding slot in full, one observation, its neighbours, the
// user's own stack frames. 900 px wide, as high as its contents.

typedef struct CardOptions {
    Str golden, target;   // how the sides are called, or empty: their paths
    uint32_t world_size;  // ranks of the run, 0: unknown
} CardOptions;

// False where nothing diverges: there is no card then. An op that only one side has gets a card
// that shows both sides' neighbours instead of the slot in full.
bool card_picture(const Comparison *comparison, const CardOptions *options, Arena *arena,
                  Scene *out);

#endif
