// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_OWN_FONTS_H
#define VERNIER_RENDERERS_OWN_FONTS_H

#include <stddef.h>

// The fonts that a static program carries (packaging/fonts.sh), so that its pictures are the same
// bytes on every machine: sans, sans bold, mono, mono bold, Chinese, Chinese bold.
typedef struct OwnFont {
    const unsigned char *data;
    size_t size;
} OwnFont;

extern const OwnFont own_fonts[];
extern const size_t own_font_count;

// Makes fontconfig take them first where a theme asks for the built-in families, and the fonts of
// the machine for every character that they lack. Once a process; before the first font map.
void own_fonts_use(void);

#endif
