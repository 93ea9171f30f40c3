// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_ADVISE_PICTURE_H
#define VERNIER_LAYOUT_ADVISE_PICTURE_H

#include "layout/advise_summary.h"
#include "scene/scene.h"

// The pictures of `vernier advise`. `bare`: without the verdict on top.

// The norm with the threshold and the steps it skips, and what other thresholds would skip.
void skip_picture(const SkipView *view, const Verdict *verdict, bool bare, Arena *arena,
                  Scene *out);

// The checkpoints along the run, and the embedding norms with the threshold.
void health_picture(const HealthReport *report, const Verdict *verdict, bool bare, Arena *arena,
                    Scene *out);

#endif
