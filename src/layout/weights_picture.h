// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_WEIGHTS_PICTURE_H
#define VERNIER_LAYOUT_WEIGHTS_PICTURE_H

#include "layout/weights_summary.h"
#include "scene/scene.h"

// Two checkpoints as a map: kinds of weights down ("layers.*.mlp.up_proj.weight"), layers across, each
// cell its relative L2 difference. A weight of no layer is one cell over the whole width.

// Not translated yet.
extern const char *const weights_picture_title, *const weights_picture_note;

// `bare`: without the verdict and the title on top, as on a page. False where there is nothing to draw. Linear in
// the weights; the 48 kinds that differ most are drawn, the rest is said.
bool weights_picture(const WeightsView *view, bool bare, Arena *arena, Scene *out);

#endif
