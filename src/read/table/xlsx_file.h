// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_XLSX_FILE_H
#define VERNIER_READ_TABLE_XLSX_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

// Workbooks of other programs (.xlsx), sheet by sheet and row by row, as the texts of the cells.
// Sheets are unpacked and parsed as they are read; only the shared texts are kept, at most 512 MiB.
// Bounds: 10,000 sheets, 8 GiB unpacked, a part 400 times the file (from 64 MiB on), 16,384
// columns, 1 MiB a cell, 16 MiB a row.
//
//     Xlsx *book = xlsx_open(path, bytes, arena, err);
//     for (size_t i = 0; i < xlsx_sheet_count(book); i++) {
//         if (!xlsx_sheet_start(book, i, err)) …
//         while (xlsx_next(book, &row)) …
//         if (xlsx_failed(book)) …
//     }
//     xlsx_close(book);

enum { XLSX_CELLS_MAX = 16384, XLSX_CELL_BYTES_MAX = 1 << 20 };

typedef struct Xlsx Xlsx;

// The cells of a row from column A on; empty texts where there is nothing. Texts are as they are
// there, numbers with the digits of the file, truth values "True" and "False". Valid until the next
// row.
typedef struct XlsxRow {
    const Str *cells;
    size_t count;
} XlsxRow;

bool xlsx_is(Str bytes);  // by the first bytes

// `bytes` must outlive the book, `err` too. NULL: refused, nothing is to be closed.
Xlsx *xlsx_open(const char *path, Str bytes, Arena *arena, Error *err);
void xlsx_close(Xlsx *book);

size_t xlsx_sheet_count(const Xlsx *book);  // in the order of the tabs; charts are none

// Begins a sheet; ends the one before.
bool xlsx_sheet_start(Xlsx *book, size_t sheet, Error *err);

// False at the end of the sheet, or where it breaks (then *err of xlsx_sheet_start is set).
bool xlsx_next(Xlsx *book, XlsxRow *out);
bool xlsx_failed(const Xlsx *book);

#endif
