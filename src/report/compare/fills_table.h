// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_FILLS_TABLE_H
#define VERNIER_REPORT_COMPARE_FILLS_TABLE_H

#include "scene/table.h"
#include "scene/theme.h"

// The coloured cells of a table as a table: row (the header is row 1), column (from 1), the
// column's name, and RRGGBB as the workbook paints it.

// Walks `rows` from its start, so both cannot be written at once. The theme stays borrowed.
void fills_table_init(Table *table, Table *rows, const Theme *theme, Arena *arena);

#endif
