// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CANVAS_H
#define VERNIER_RENDERERS_CANVAS_H

#include "renderers/canvas_state.h"

// Paints the items of a scene with cairo, for the formats that cairo knows.

// In user units. `pen` outlives the canvas.
void canvas_init(Canvas *canvas, cairo_t *cairo, struct Pen *pen, const RenderOptions *options);

// The ground and every item that touches the band from `top` to `bottom`, in user units.
// `bounds` is what canvas_bounds gave.
typedef struct Band {
    double top, bottom;
} Band;
void canvas_paint(Canvas *canvas, const Scene *scene, const Band *bounds, Band band);

// The vertical extent of every item, scene->count of them; generous for texts.
Band *canvas_bounds(const Scene *scene, Arena *arena);

// cairo's sticky status as an Error.
bool canvas_check(cairo_status_t status, Error *err);

#endif
