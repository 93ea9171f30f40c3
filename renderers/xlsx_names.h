// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_NAMES_H
#define VERNIER_RENDERERS_XLSX_NAMES_H

#include "base/arena.h"
#include "base/str.h"

// What a workbook allows as a text and as the name of a sheet.

enum { XLSX_NAME_UNITS = 31, XLSX_TEXT_UNITS = 32767 };

// `text` cut to `units` UTF-16 units with an ellipsis at the end, or as it is.
Str xlsx_cut(Str text, size_t units, Arena *arena);

// A sheet name made of `wanted` that is not among `taken` (compared without case), at most 31
// units, without []:*?/\ and apostrophes at the ends.
Str xlsx_sheet_name(Str wanted, const Str *taken, size_t count, Arena *arena);

#endif
