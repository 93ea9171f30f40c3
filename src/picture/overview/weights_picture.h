// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_WEIGHTS_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_WEIGHTS_PICTURE_H

#include "scene/scene.h"
#include "verdict/weights_verdict.h"

// Two checkpoints as a map: kinds of weights down ("layers.*.mlp.up_proj.weight"), layers across,
// each cell its relative L2 difference. A weight of no layer is one cell over the whole width.

// False where there is nothing to
// draw. Linear in the weights; the 48 kinds that differ most are drawn, the rest is said.
bool weights_picture(const WeightComparison *comparison, Arena *arena, Scene *out);

#endif
