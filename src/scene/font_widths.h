// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_FONT_WIDTHS_H
#define VERNIER_SCENE_FONT_WIDTHS_H

#include <stdint.h>

// The advance widths of DejaVu Sans by blocks of characters, in 1/2048 em; 0 where the font has no
// glyph.
typedef struct FontBlock {
    uint32_t first, last;
    const uint16_t *regular, *bold;  // last - first + 1 widths
} FontBlock;

extern const FontBlock font_blocks[];  // ends with last = 0

#endif
