// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CANVAS_TEXT_H
#define VERNIER_RENDERERS_CANVAS_TEXT_H

#include "renderers/canvas_state.h"

// Text by pango: shaping, and a font for every character (docs/decisions/003-text-rendering.md).
// Where no font can be found at all, cairo's built-in stroke font writes the ASCII part.

typedef struct Pen Pen;

Pen *pen_new(const Theme *theme);
void pen_release(Pen *pen);

// Takes over the scale and direction of `cairo`. Costs as much as half a label.
void pen_follow(Pen *pen, cairo_t *cairo);

void canvas_text(Canvas *canvas, const Item *item);

// Adds what the canvas found out about the fonts. `fonts` may be NULL.
void canvas_report_fonts(const Canvas *canvas, FontReport *fonts);

#endif
