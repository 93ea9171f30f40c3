// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_MULTIPLES_H
#define VERNIER_PICTURE_CURVES_CURVES_MULTIPLES_H

#include "picture/curves/curves_view.h"
#include "scene/scene.h"

// More than CURVES_MANY runs, a small panel each over the same axes, with what each comes to: the
// difference from golden where runs are judged, else its line over where most of the runs lie.

// False, and nothing drawn, for fewer runs. Of more than fit, those that have something to tell;
// how many are left out is said.
bool curves_multiples(const CurvesView *view, const char *id, Arena *arena, Scene *out);

#endif
