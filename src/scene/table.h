// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_TABLE_H
#define VERNIER_SCENE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// Typed columns and a way to pull the next row; one table gives xlsx, CSV, HTML and Markdown, and
// is never whole in memory unless its maker wants it so.

typedef enum CellStyle {
    STYLE_PLAIN,
    STYLE_STRONG,
    STYLE_MUTED,
    STYLE_CODE,
    STYLE_SAME,  // the statuses: HTML shows the chip before the text, xlsx fills the cell
    STYLE_PASS,
    STYLE_PASS_TINT,  // by an allowance, above its floor
    STYLE_WARNING,
    STYLE_ERROR,       // starts here
    STYLE_ERROR_TINT,  // inherited
    STYLE_WARNING_TINT,
    STYLE_UNMATCHED,
    STYLE_NO_DATA,
    STYLE_GOLDEN,          // marked with the disc of the golden side
    STYLE_TARGET,          // marked with the triangle of the target side
    STYLE_MSPROBE_RED,     // fills of rules msprobe8: FF0000
    STYLE_MSPROBE_YELLOW,  // FFFF00
    STYLE_COUNT
} CellStyle;

typedef enum CellKind {
    CELL_EMPTY,
    CELL_TEXT,
    CELL_NUMBER,
    CELL_BOOL,
    CELL_PERCENT,  // "0.5%", a text in every format
} CellKind;
enum { CELL_KIND_COUNT = CELL_PERCENT + 1 };

typedef struct Cell {
    CellKind kind;
    CellStyle style;
    double number;  // CELL_NUMBER, CELL_PERCENT; CELL_BOOL as 0 or 1
    Str text;       // CELL_TEXT; for CELL_NUMBER how CSV, HTML and Markdown show it, or empty: then
                    // number_python
    Str title;      // tooltip in HTML, or empty
    Str link;       // "#anchor" of a page, "internal:'Sheet'!A1" of a workbook, or the name of a
                    // file next to the report; never from a dump
} Cell;

typedef struct Column {
    Str title;
    double width;  // characters, for xlsx; 0: by the title
    bool number;   // right aligned
    bool folded;   // xlsx: in a group of columns that is closed
    bool bar;      // xlsx: a bar in each cell, as long as its number
    int chart;     // xlsx: a line over the first column on chart sheet 1 or 2; 0: on none
} Column;

typedef struct Table Table;
struct Table {
    Str name;  // of the sheet, and of the figure in a study
    const Column *columns;
    size_t column_count;
    uint64_t row_count;  // how many rows will come, or UINT64_MAX if that is not known
    Str note;            // what was left out, or empty
    bool freeze;         // frozen header and filter in xlsx
    // Fills `cells` (column_count of them, zeroed by the caller) with the next row; false at the
    // end. Texts stay valid until the next call.
    bool (*next)(void *state, Cell *cells);
    // The same for who wants the styles alone: cells may be empty. NULL: `next` does.
    bool (*next_styles)(void *state, Cell *cells);
    void (*rewind)(void *state);  // back to the first row
    void *state;
};

// A table whose rows are all in memory.
typedef struct TableRows {
    Arena *arena;
    size_t column_count;
    Cell *cells;  // row by row
    size_t row_count, capacity, at;
} TableRows;

// `columns` must live as long as the table.
void table_init_rows(Table *table, TableRows *rows, const char *name, const Column *columns,
                     size_t column_count, Arena *arena);
// The cells of a new row, zeroed, in the order of the columns; valid until the next row is added.
Cell *table_add_row(Table *table);

Cell cell_text(Str text);
Cell cell_styled(CellStyle style, Str text);
Cell cell_number(double number);               // shown by number_python
Cell cell_number_as(double number, Str text);  // shown as `text`
Cell cell_bool(bool value);

// A copy in `arena` that shares nothing with `from` and has its first `rows_max` rows; its note
// says how many were left out.
Table *table_copy(Table *from, uint64_t rows_max, Arena *arena);

#endif
