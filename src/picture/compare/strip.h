// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_STRIP_H
#define VERNIER_PICTURE_COMPARE_STRIP_H

#include "picture/compare/outline.h"
#include "scene/scene.h"

// The overview strip (icicle): depth down, execution order across, forward above backward, one pair
// of bands per micro step, and a band for what runs after the last backward op. A cell's fill is
// its own status; a line at its foot says that something below it is worse. Where cells get too
// narrow, a pixel column shows the worst status in it, so that no op is lost at any size.

// Draws heading, bands, flags and legend from y down; returns the y below. The picture's width
// is that of the scene. Linear in the tree; the number of items is bounded.
double strip_draw(Scene *scene, const Outline *outline, const Flags *flags, double y);

// The chip of an op as a bit of `shown` of chip_legend.
uint32_t op_chip(const Comparison *comparison, const OpPair *pair);

// By what what is the same was compared, for chip_legend.
uint32_t same_chip(const Comparison *comparison);

// "Module.fc.Linear.forward.0 · error · in 0 → out 2.91e-05": the tooltip of a row.
Str row_title(const Outline *outline, uint32_t row, Arena *arena);

#endif
