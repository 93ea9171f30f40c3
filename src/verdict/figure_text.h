// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_FIGURE_TEXT_H
#define VERNIER_VERDICT_FIGURE_TEXT_H

#include "scene/scene.h"

// How numbers and long texts are written in pictures: 3 significant digits, U+2212 as the minus
// of a value (exponents keep ASCII, so that they can be copied), thousands commas, raised exponents
// on axes.

// `digits` significant digits: 3 in tables, 6 for raw values, 8 where the digits are the evidence.
Str figure_number(double value, int digits, Arena *arena);

// A relative error: "=" for -1 (bit for bit), "0" (equal norms), "2.91e-05", "Inf", "—" for NaN.
Str figure_error(double error, Arena *arena);

Str figure_count(uint64_t value, Arena *arena);         // "51,204"
Str figure_count_or_dot(uint64_t value, Arena *arena);  // "·" for 0
Str figure_step(int64_t step, Arena *arena);            // "51,204", "-1"

// A power of ten with a raised exponent, for axes.
Item *figure_decade(Scene *scene, double x, double y, float size, Anchor anchor, Role role,
                    int exponent);

// How a text is broken into lines.
typedef struct WrapRule {
    double size;        // px
    int weight;         // 400, 700
    double width;       // px, of every line
    double indent;      // px, taken from the first line
    const char *after;  // a line may end after any of these characters and between CJK characters
    size_t lines;       // at most so many; the last one is cut in the middle
    bool even;          // no stump of a word or two on the last line
} WrapRule;

// Writes up to rule->lines lines and returns how many; none for an empty text. The first line may
// be empty when nothing fits next to the indent. Linear in the text.
size_t figure_wrap(Str text, const WrapRule *rule, Arena *arena, Str *out);

#endif
