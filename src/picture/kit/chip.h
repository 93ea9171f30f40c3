// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_CHIP_H
#define VERNIER_PICTURE_KIT_CHIP_H

#include "compare/judge/comparison.h"
#include "scene/scene.h"
#include "scene/table.h"

// How a status is shown: fill, border, glyph and word together, so that a printout and a
// colour-blind reader lose nothing. Solid: the trouble starts here; tint: an input already differs,
// or it is not recorded; hollow: a pass by an allowance, above its floor (OpPair.inherited).

typedef struct StatusLook {
    Role fill, edge, ink;
    float edge_width;
    const char *letter;  // "E", "W", "U"; NULL: a drawn glyph
} StatusLook;

StatusLook status_look(Status status, bool inherited);

// "error", "error, inherited", "same", …, translated.
Str status_label(Status status, bool inherited);

// The square with its glyph; (x, y) is the top left, `size` the outer edge.
void chip_draw(Scene *scene, double x, double y, double size, Status status, bool inherited);

// The same for a cell style of a verdict; false, and nothing drawn, for styles that are no status.
bool chip_draw_style(Scene *scene, double x, double y, double size, CellStyle style);

// The mark of a status in a chart: circle pass, diamond warning, square error, all centred.
Item *mark_draw(Scene *scene, double x, double y, double radius, Status status, bool inherited);

// The cross of a value that is no number.
Item *cross_draw(Scene *scene, double x, double y, double radius);

// The sign of a value before the start of its axis: an arrow to the left, or downwards.
Item *beyond_draw(Scene *scene, double x, double y, bool down);

// A numbered disc: 1 is the first divergence.
void disc_draw(Scene *scene, double x, double y, int number);
void disc_draw_on_error(Scene *scene, double x, double y, int number);  // on solid error fill

// The sign of a side: a disc for golden, a triangle for target; 8 px wide around (x, y).
void side_draw(Scene *scene, double x, double y, bool golden);

// Chips with their words on one line from x, base line y, 11 px; statuses whose bit
// (1 << status, 1 << (status + 8) for inherited) is set in `shown`; one of the CHIP_ tells
// by what what is the same was compared; CHIP_UNKNOWN: some tints stand for inputs that are not
// recorded. Returns the x after it.
enum {
    CHIP_STRUCTURE = 1 << 16,
    CHIP_STATISTICS = 1 << 17,
    CHIP_BITS = 1 << 18,
    CHIP_UNKNOWN = 1 << 19
};
double chip_legend(Scene *scene, double x, double y, uint32_t shown);

// The same with a picture's own words for statuses, marked with TR.
typedef struct ChipWord {
    Status status;
    const char *text;
} ChipWord;
void chip_words(Scene *scene, double x, double y, const ChipWord *list, size_t count,
                uint32_t shown);

#endif
