// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_STRIP_AXIS_H
#define VERNIER_PICTURE_COMPARE_STRIP_AXIS_H

#include "picture/compare/strip_columns.h"
#include "scene/scene.h"

// Names below a band whose cells are too narrow for their own: those of the first tier that repeats
// (the layers), as many as have room, each at the left edge of its column. Needs 12 px of height.
void strip_axis_draw(Scene *scene, const Comparison *comparison, const StripColumns *columns,
                     int side, double y);

#endif
