// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CSV_H
#define VERNIER_RENDERERS_CSV_H

#include "renderers/renderer.h"

// CSV after RFC 4180, UTF-8, lines ended by LF, quotes only where they are needed.
//
// A text cell that a spreadsheet would run as a formula gets one apostrophe in front: one that
// starts, after any number of apostrophes, with = + - @ or a tab (also the full-width ones) and is
// not a number as a whole. To read it back, take one apostrophe away from cells that start with
// apostrophes followed by one of these. Numbers such as -1.5 are never touched. So it is
// within a cell after ';', a tab and a line feed, which begin a cell where they are separators.
extern const Renderer csv_renderer;

// The text of one cell as above, without the quotes of CSV.
Str csv_neutral(Str text, Arena *arena);

// Whether a cell of a file is one that this writer can have left: a number (with a percent sign or
// not), or a text that no spreadsheet runs.
bool csv_is_neutral(Str cell);

#endif
