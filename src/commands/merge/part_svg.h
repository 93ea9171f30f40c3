// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_PART_SVG_H
#define VERNIER_COMMANDS_MERGE_PART_SVG_H

#include "base/str.h"

// NULL if the picture has only elements, attributes and style rules that renderers/svg.c writes, so
// no script, link outside, event or style sheet; else why it is not taken, translated.
const char *part_svg_refusal(Str bytes);

#endif
