// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_PAGE_H
#define VERNIER_PICTURE_KIT_PAGE_H

#include "scene/scene.h"
#include "verdict/figure_text.h"

// The page that every picture is: its width and margins, and what is in the same way on all.

enum {
    PAGE_WIDTH = 1200,
    PAGE_MARGIN = 32,
    CARD_WIDTH = 900,  // the narrow picture, for a ticket
    CARD_MARGIN = 28,
    PAGE_TEXT_LINES = 8
};

double page_margin(double width);

// The type scale, px. The verdict's sizes grow with the width of its picture (verdict_head.c).
enum {
    SIZE_TINY = 10,    // letters in cells, numbers on dense axes
    SIZE_NOTE = 11,    // explanations, keys, axes
    SIZE_TEXT = 12,    // names and values of rows
    SIZE_STRONG = 13,  // what a row or panel is about
    SIZE_HEADING = 15
};

// An explanation and the words of a row, in the quieter ink: at SIZE_NOTE and at SIZE_TEXT.
Item *note_text(Scene *scene, double x, double y, Anchor anchor, Str text);
Item *row_text(Scene *scene, double x, double y, Anchor anchor, Str text);

// Text from x on, cut in the middle where it is wider than `room`; it then has its whole as
// tooltip.
Item *fitted_text(Scene *scene, double x, double y, float size, int weight, Role role, double room,
                  Str text);

// "page 2 of 3" at the right of the first heading; nothing when there is one page. `page` counts
// from 0.
void page_number_draw(Scene *scene, size_t page, size_t pages);

// The picture and the pages that follow it below the title that the user gave (--title), on paper
// and as the text that names the picture. Without one, the picture itself.
const Scene *picture_under_title(const Scene *picture, Str title, Arena *arena);

// A paragraph of at most PAGE_TEXT_LINES lines from base line y on, `gap` apart; returns the base
// line of the last.
double page_text(Scene *scene, double x, double y, double gap, const WrapRule *rule, Role role,
                 Str text);

// The words of a key after its sign, from x; returns where the next sign begins.
double key_word(Scene *scene, double x, double y, Str word);

// The horizontal rule between sections; none at the top of a picture.
void section_rule(Scene *scene, double y);

// A section's heading with its explanation on the same base line.
void section_heading(Scene *scene, double x, double y, float size, Str heading, Str note);

#endif
