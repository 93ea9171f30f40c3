// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_TABLE_CELL_H
#define VERNIER_READ_LOG_TABLE_CELL_H

#include "base/line_scan.h"

// What one cell of a table of curves says: a number in any writer's form, or none.

enum { TABLE_CELL_ROOM = 64 };

// "", "NA", "No log": there is no value.
bool table_cell_is_absent(Str cell);

// "1,100", "12,345.5": the digits without the separators of thousands, in `room`; others as they
// are.
Str table_cell_without_thousands(Str cell, char room[TABLE_CELL_ROOM]);

// Also "tensor(1.5)", "[44.3]" and "1.#INF". `decimal_comma`: "1,5" is one and a half, else a comma
// stands between thousands. False: no number. The figure has no text where the digits stand
// otherwise in the cell.
bool table_cell_figure(Str cell, bool decimal_comma, Figure *out);

#endif
