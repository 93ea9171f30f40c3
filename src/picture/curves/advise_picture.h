// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_ADVISE_PICTURE_H
#define VERNIER_PICTURE_CURVES_ADVISE_PICTURE_H

#include "scene/scene.h"
#include "verdict/advise_verdict.h"

// The pictures of `vernier advise`. `bare`: without the verdict on top.

// The norm with the threshold and the steps it skips, and what other thresholds would skip.
void skip_picture(const SkipView *view, Arena *arena, Scene *out);

// The checkpoints along the run, and the embedding norms with the threshold.
void health_picture(const HealthFindings *report, Arena *arena, Scene *out);

#endif
