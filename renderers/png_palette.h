// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_PNG_PALETTE_H
#define VERNIER_RENDERERS_PNG_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "scene/theme.h"

// The colours of a picture as a palette, built while its pixels are read: those of the theme as
// they are, shades of edges up to PALETTE_NEAR apart as one. A third of the bytes, and of the time
// of deflating them, for what no eye tells apart.

enum { PALETTE_MOST = 256, PALETTE_NEAR = 8, PALETTE_FAR = 24, PALETTE_KEYS = 1 << 15 };

typedef struct Palette {
    uint32_t colours[PALETTE_MOST];  // 0xRRGGBB
    int count;
    uint32_t keys[PALETTE_KEYS];  // colour and 1 << 24 of a known one, 0: free
    uint8_t places[PALETTE_KEYS];
    int known;
    uint32_t exact[ROLE_COUNT];   // of the theme, each once
    int exact_count, exact_left;  // that have no place yet: kept for them
} Palette;

// Zeroed memory becomes the palette of a theme.
void palette_start(Palette *palette, const Theme *theme, bool dark);

// The place of each of `count` pixels (the lower 24 bits). False: they are too many colours that
// are too far apart.
bool palette_places(Palette *palette, const uint32_t *pixels, int count, uint8_t *places);

#endif
