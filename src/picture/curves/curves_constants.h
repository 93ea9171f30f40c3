// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_CONSTANTS_H
#define VERNIER_PICTURE_CURVES_CURVES_CONSTANTS_H

#include "picture/curves/curves_view.h"
#include "scene/scene.h"

// Series that do not change, as words: a panel would show a line and hide the number.

// Whether in no run the series has two different values, or one that is no number; where there are
// more runs than can be named, over all of them.
bool curves_is_constant(const CurvesView *view, Str series);

// "Loss scale  constant 1", a row from base line y + 14 on; returns the y below it.
double curves_constant_row(const CurvesView *view, Str series, Scene *scene, double y);

#endif
