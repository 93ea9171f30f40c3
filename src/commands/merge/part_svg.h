// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_PART_SVG_H
#define VERNIER_COMMANDS_MERGE_PART_SVG_H

#include "base/str.h"

// NULL if the picture has only elements, attributes and style rules that renderers/svg.c writes, so
// no script, link outside, event or style sheet; else why it is not taken, translated.
const char *part_svg_refusal(Str bytes);

// Whether renderers/svg.c writes such an element or attribute.
bool part_svg_element(const char *name);
bool part_svg_attribute(const char *name, const char *value);

#endif
