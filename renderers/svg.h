// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_SVG_H
#define VERNIER_RENDERERS_SVG_H

#include "renderers/markup.h"
#include "renderers/renderer.h"

// SVG by presentation attributes alone: no classes, no script. For pages that hold pictures inline.

// The picture without ground and without a style of its own: the page recolours it in the dark.
void svg_write_inline(Markup *markup, const Scene *scene, const RenderOptions *options);

// The rules that turn light pictures dark, for all roles: one `svg [fill="…"]{fill:…}` a role.
void svg_write_dark_rules(Markup *markup, const Theme *theme);

// The families of a font of the theme as CSS: names with blanks in quotes.
void svg_write_families(Markup *markup, Str families);

extern const Renderer svg_renderer;

#endif
