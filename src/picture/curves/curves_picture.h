// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_PICTURE_H
#define VERNIER_PICTURE_CURVES_CURVES_PICTURE_H

#include "picture/curves/curves_view.h"
#include "scene/scene.h"

// The picture of `vernier curves` (docs/spec/curves.md §6): event rim, losses,
// their difference and relative error, gradient norm, and the other series as small panels.

void curves_picture(const CurvesView *view, const char *id, Arena *arena, Scene *out);

#endif
