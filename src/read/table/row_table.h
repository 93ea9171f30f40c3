// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TABLE_ROW_TABLE_H
#define VERNIER_READ_TABLE_ROW_TABLE_H

#include "read/table/csv_file.h"
#include "read/table/xlsx_file.h"

// A table of rows with named columns, whatever it was written as: CSV, cells between bars as in
// Markdown, with other lines around them, or the sheets of a workbook. All give the same texts,
// without outer blanks.

typedef struct RowTable {
    size_t sheet_count;  // 1 of CSV
    // The sheet that is read.
    const Str *names;  // of the columns
    size_t name_count;
    XlsxRow row;
    Csv csv;
    bool cut;    // the last line of a CSV has neither all cells nor an end: it is left out
    Xlsx *book;  // NULL: CSV
    Arena *arena;
    Error *err;
} RowTable;

// By the first bytes. `text` and `err` must outlive the table. False: refused; nothing is to be
// closed.
bool row_table_open(const char *path, Str text, Arena *arena, RowTable *out, Error *err);
void row_table_close(RowTable *table, Notices *notices);

// Begins a sheet and takes its first row as the names of its columns; an empty sheet has none.
// False with *err set where it cannot be read.
bool row_table_start(RowTable *table, size_t sheet);

// False at the end, or where the sheet breaks.
bool row_table_next(RowTable *table);
bool row_table_failed(const RowTable *table);

int row_table_column(const RowTable *table, const char *name);  // -1: not there
Str row_table_cell(const RowTable *table, int column);          // empty if it is not there

#endif
