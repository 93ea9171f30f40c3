// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_SVG_PATH_H
#define VERNIER_RENDERERS_SVG_PATH_H

#include "renderers/markup.h"
#include "scene/scene.h"

// Coordinates of SVG in few bytes: tenths of a pixel, and paths in relative steps between the
// rounded points, which do not drift.

// A coordinate in tenths, rounded; 0 for what no picture can hold.
int64_t svg_tenths(double value);

// "12.5 3", with a blank in front where the first number needs one after another.
void svg_write_pair(Markup *to, int64_t x, int64_t y, bool spaced);

// The value of the attribute d.
void svg_write_steps(Markup *to, const PathShape *path);

#endif
