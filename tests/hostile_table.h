// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_HOSTILE_TABLE_H
#define VERNIER_TESTS_HOSTILE_TABLE_H

#include "demo.h"

// A table with the hostile names: column 0 a number, column 1 the name, column 2 the name as a
// status with a title.
static const Column hostile_columns[] = {
    {.title = {"no.", 3}, .number = true}, {.title = {"=name|", 6}}, {.title = {"status", 6}}};

static inline void hostile_table(Table *table, TableRows *rows, Arena *arena)
{
    table_init_rows(table, rows, "Hostile [names]: a/b\\c*?", hostile_columns, 3, arena);
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        Str name = str_of(hostile_names[i]);
        Cell *cells = table_add_row(table);
        cells[0] = cell_number(-1.5 - (double)i);
        cells[1] = cell_text(name);
        cells[2] = cell_styled((CellStyle)(i % STYLE_COUNT), name);
        cells[2].title = name;
        cells[2].link = name;
    }
}

#endif
