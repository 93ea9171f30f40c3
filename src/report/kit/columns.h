// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_COLUMNS_H
#define VERNIER_REPORT_KIT_COLUMNS_H

#include "base/words.h"
#include "scene/table.h"

// A column in one line: title, width and cell. A table has one function that names its columns in
// order. Called without an item it lists the heads, and no cell is evaluated; then it is called
// once a row:
//
//     static void spread_columns(Row *row)
//     {
//         const Spread *spread = row->item;
//         NUMBER(row, TR("hop"), 8, cell_count(spread->hop, row->arena));
//         TEXT(row, TR("through"), 40, cell_code(spread->through));
//     }
//
// The item is NULL among the heads: only cells may look into it. A row may return early, which
// leaves its further cells empty.

typedef struct Row {
    const void *item;  // NULL among the heads
    const void *of;    // what the item belongs to, or NULL
    const void *view;  // what all rows share, or NULL
    Arena *arena;
    Cell *cells;  // of this row, zeroed; NULL: the heads are listed
    size_t at;    // the column whose cell is made
    Column *columns;
    size_t count, capacity;  // of the heads
} Row;

typedef void Columns(Row *row);

// `number`: right aligned; `width` in characters, for xlsx, 0: by the title.
void row_head(Row *row, Str title, double width, bool number);

#define ROW_COLUMN(row, title, width, number, ...)       \
    do {                                                 \
        if ((row)->cells) {                              \
            (row)->cells[(row)->at] = (__VA_ARGS__);     \
            (row)->at++;                                 \
        } else {                                         \
            row_head((row), (title), (width), (number)); \
        }                                                \
    } while (0)
// `title` is marked with TR, or it is the same in all languages.
#define TEXT(row, title, width, ...)   ROW_COLUMN(row, str_of(tr(title)), width, false, __VA_ARGS__)
#define NUMBER(row, title, width, ...) ROW_COLUMN(row, str_of(tr(title)), width, true, __VA_ARGS__)

// A table in memory without rows; `name` is marked with TR. The header is frozen.
Table *columns_table(const char *name, Columns *columns, const void *view, Arena *arena);
void columns_add(Table *table, const void *item);
void columns_add_of(Table *table, const void *of, const void *item);

// With a row for each of `count` items of `size` bytes.
Table *columns_of_items(const char *name, Columns *columns, const void *view, const void *items,
                        size_t count, size_t size, Arena *arena);
#define COLUMNS_TABLE(name, columns, view, items, count, arena) \
    columns_of_items((name), (columns), (view), (items), (count), sizeof *(items), (arena))

// For tables that make their rows while they are written: the heads, and the cells of one row
// (texts in no arena: what the cells show must live elsewhere until the next row).
const Column *columns_heads(Columns *columns, const void *view, Arena *arena, size_t *count);
void columns_fill(Columns *columns, const void *view, const void *of, const void *item,
                  Cell *cells);

#endif
