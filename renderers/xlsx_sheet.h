// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_SHEET_H
#define VERNIER_RENDERERS_XLSX_SHEET_H

#include "renderers/zip_pack.h"
#include "scene/table.h"

// One sheet of a workbook, row by row into the part that the archive is at. Texts are always texts,
// never formulas, links or dates; NaN and infinities are texts; texts over XLSX_TEXT_UNITS
// characters end with "…".
typedef struct XlsxSheet XlsxSheet;

enum { XLSX_TEXT_UNITS = 32767 };

// With the header of the table. `first`: of its book, the one that is shown when it is opened.
XlsxSheet *xlsx_sheet_begin(const Table *table, bool first, ZipPack *pack);
bool xlsx_sheet_is_full(const XlsxSheet *sheet);  // further rows go to another
void xlsx_sheet_row(XlsxSheet *sheet, const Cell *cells);
void xlsx_sheet_note(XlsxSheet *sheet, Str note);  // under the rows, if it is not empty
// Ends it and frees its memory; gives how many rows its filter covers, 0 without one.
uint32_t xlsx_sheet_end(XlsxSheet *sheet);

// `text` cut to `units` UTF-16 units with an ellipsis at the end, or as it is.
Str xlsx_cut(Str text, size_t units, Arena *arena);

// Escaped for elements and attributes; control characters must be gone.
void xlsx_add_text(StrBuf *out, Str text);
// "A" for column 0, "AA" for 26.
void xlsx_add_letters(StrBuf *out, size_t column);

#endif
