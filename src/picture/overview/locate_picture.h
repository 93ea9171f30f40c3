// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_OVERVIEW_LOCATE_PICTURE_H
#define VERNIER_PICTURE_OVERVIEW_LOCATE_PICTURE_H

#include "compare/nonfinite/locate.h"
#include "scene/report.h"
#include "scene/scene.h"

// Where NaN and Inf start and how they spread, as a field of ranks (rank_field.h): what became of
// each rank at its right, the way over the ranks in words below.
void locate_picture(const Locate *result, Str path, Arena *arena, Scene *out);

#endif
