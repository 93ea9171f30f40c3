// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_STUDY_LADDER_H
#define VERNIER_PICTURE_OVERVIEW_STUDY_LADDER_H

#include "scene/scene.h"
#include "verdict/study_view.h"

// The ladder as a picture, one rung a stage.
void study_ladder(const StudyView *view, Arena *arena, Scene *out);

#endif
