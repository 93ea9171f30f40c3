// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_CHECK_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_CHECK_PICTURE_H

#include "scene/scene.h"
#include "verdict/check_verdict.h"

// A row for each invariant: its verdict, a cell for each dump (steps × ranks, neighbours together
// where there are many: the worst stands for them), what was compared, and where it is broken first
// or why it cannot be checked.
void check_picture(const CheckView *view, Arena *arena, Scene *out);

#endif
