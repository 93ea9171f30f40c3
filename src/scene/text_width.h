// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_TEXT_WIDTH_H
#define VERNIER_SCENE_TEXT_WIDTH_H

#include "base/arena.h"
#include "base/str.h"

// How wide a text gets, from a built-in table of the advance widths of DejaVu Sans (the widest font
// of the family list), so that layouts are the same on every machine. Full-width characters count
// 1 em, combining marks 0.

// Width in px at `size` px; `weight` >= 600 takes the bold widths.
double text_width(Str text, double size, int weight);
double text_width_mono(Str text, double size);

// `text` cut in the middle with an ellipsis so that it is at most `width` px wide; `text` itself
// when it fits, the empty text when not even three characters and the ellipsis fit. Never cuts a
// character in two.
Str text_fit(Str text, double size, int weight, double width, Arena *arena);

// As text_fit for a list: cut names that would become equal are cut at other places, so that they
// stay distinct where the width allows it. Writes `count` texts to `out`.
void text_fit_distinct(const Str *texts, size_t count, double size, int weight, double width,
                       Arena *arena, Str *out);

#endif
