// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_PNG_H
#define VERNIER_RENDERERS_PNG_H

#include "renderers/renderer.h"

// Pixels of a picture of `width` x `height` user units at the wanted scale (0: 2). The scale falls
// to 1 where the picture would have more than 64 million pixels, and below where it would be wider
// than cairo's 32,767. False if there is no picture of that size: empty, or a million rows.
bool png_size(double width, double height, double scale, double *scale_used, int *columns,
              int *rows);

extern const Renderer png_renderer;

#endif
