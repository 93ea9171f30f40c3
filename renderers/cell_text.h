// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CELL_TEXT_H
#define VERNIER_RENDERERS_CELL_TEXT_H

#include "base/number.h"
#include "scene/table.h"

// What a cell says, for the formats that show tables as text.

// The text of the cell as its maker gave it: numbers by their own text or else as Python writes
// them, "True" and "False". `buffer` holds the digits.
Str cell_shown(const Cell *cell, char buffer[NUMBER_BYTES]);

// The text made fit for files: as utf8_display, but line ends and tabs stay. `text` itself
// when it is clean.
Str cell_clean(Str text, Arena *arena);

#endif
