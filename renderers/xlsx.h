// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_H
#define VERNIER_RENDERERS_XLSX_H

#include "renderers/renderer.h"

// Workbooks: one sheet a table, more when it has over 1,048,575 rows. Texts are always texts, never
// formulas, links or dates; NaN and infinities are texts; texts over 32,767 characters end with
// "…". Rows are written as they come: memory does not grow with the table.
extern const Renderer xlsx_renderer;

enum { XLSX_NAME_UNITS = 31, XLSX_TEXT_UNITS = 32767 };

// `text` cut to `units` UTF-16 units with an ellipsis at the end, or as it is.
Str xlsx_cut(Str text, size_t units, Arena *arena);

// A sheet name made of `wanted` that is not among `taken` (compared without case), at most 31
// units, without []:*?/\ and apostrophes at the ends.
Str xlsx_sheet_name(Str wanted, const Str *taken, size_t count, Arena *arena);

#endif
