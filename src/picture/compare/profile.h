// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_PROFILE_H
#define VERNIER_PICTURE_COMPARE_PROFILE_H

#include "compare/judge/comparison.h"
#include "scene/report.h"
#include "scene/scene.h"

// The error along execution order: one panel a section, one column an op. The worst input is hollow
// and the worst output filled, on one log axis. Layers and the floor are bands. What is equal is on
// the rim below, what is no number on the rim above.

typedef struct ProfileOptions {
    Str golden, target;  // how the sides are called, or empty: their paths
} ProfileOptions;

// False where there is nothing to draw: no op has a partner, no value is compared. Panels with many
// ops show the worst of each column of at least 4 px and say so; at most 6 panels. Linear in the
// ops.
bool profile_picture(const Comparison *comparison, const ProfileOptions *options, Arena *arena,
                     Scene *out);

// The verdict in the words of this picture.
Verdict profile_verdict(const Comparison *comparison, const Verdict *verdict, Arena *arena);

#endif
