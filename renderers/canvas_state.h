// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CANVAS_STATE_H
#define VERNIER_RENDERERS_CANVAS_STATE_H

#include <cairo.h>

#include "renderers/renderer.h"

// What is being painted on, and with which colours.

typedef struct Canvas {
    cairo_t *cairo;
    const Theme *theme;
    bool dark;
    struct Pen *pen;        // of canvas_text.h
    size_t missing_glyphs;  // characters painted so far that no font has
} Canvas;

// The colour of a role as the source of what is painted next.
void canvas_set_role(const Canvas *canvas, Role role, float opacity);

#endif
