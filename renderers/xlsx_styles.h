// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_STYLES_H
#define VERNIER_RENDERERS_XLSX_STYLES_H

#include <xlsxwriter.h>

#include "scene/table.h"
#include "scene/theme.h"

// How a number is shown: as the program does, whole, with four decimals, with its decade, with a
// comma between thousands, as a share of 100. A blank follows it: the next column may be text.
typedef enum NumberFormat {
    NUMBER_GENERAL,
    NUMBER_WHOLE,
    NUMBER_FIXED,
    NUMBER_SCIENTIFIC,
    NUMBER_THOUSANDS,
    NUMBER_PERCENT,
    NUMBER_FORMATS
} NumberFormat;

// The cell formats of a workbook, by style; from the light theme, as workbooks have no dark.
typedef struct XlsxStyles {
    // By how numbers are shown; NULL: as the program shows it.
    lxw_format *cell[STYLE_COUNT][NUMBER_FORMATS];
    lxw_format *link, *header, *header_number, *title, *note;
} XlsxStyles;

// False if the library had no memory for one of them.
bool xlsx_styles(lxw_workbook *book, const Theme *theme, XlsxStyles *out);

// A whole number as it is counted or named; others with decimals where these say something.
NumberFormat xlsx_number_format(const Cell *cell);

// Makes one cell of the first row up to the column.
lxw_error xlsx_merge_title(lxw_worksheet *sheet, lxw_col_t last);

#endif
