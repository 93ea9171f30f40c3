// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_XLSX_STYLES_H
#define VERNIER_RENDERERS_XLSX_STYLES_H

#include "scene/table.h"
#include "scene/theme.h"

// The formats of cells that a workbook numbers: a CellStyle is its own number, behind them stand
// those of no cell of a table.
enum { XLSX_HEADER = STYLE_COUNT, XLSX_HEADER_NUMBER, XLSX_NOTE, XLSX_FORMATS };

// xl/styles.xml; colours of the light theme, as workbooks have no dark.
Str xlsx_styles(const Theme *theme, Arena *arena);

#endif
