// SPDX-License-Identifier: Apache-2.0
// Tables in memory from a function that names their columns.
#include "report/kit/columns.h"

#include "base/array.h"
#include "base/words.h"

typedef struct ColumnsTable {
    TableRows rows;  // first: the state of the table
    Columns *columns;
    const void *view;
} ColumnsTable;

void row_head(Row *row, Str title, double width, bool number)
{
    *ARRAY_ADD(row->arena, row->columns, row->count, row->capacity) =
        (Column){.title = title, .width = width, .number = number};
}

const Column *columns_heads(Columns *columns, const void *view, Arena *arena, size_t *count)
{
    Row heads = {.view = view, .arena = arena};
    columns(&heads);
    *count = heads.count;
    return heads.columns;
}

void columns_fill(Columns *columns, const void *view, const void *of, const void *item, Cell *cells)
{
    columns(&(Row){.item = item, .of = of, .view = view, .cells = cells});
}

Table *columns_table(const char *name, Columns *columns, const void *view, Arena *arena)
{
    size_t count;
    Table *table = ARENA_NEW(arena, Table);
    ColumnsTable *made = ARENA_NEW(arena, ColumnsTable);
    const Column *heads = columns_heads(columns, view, arena, &count);
    table_init_rows(table, &made->rows, tr(name), heads, count, arena);
    made->columns = columns;
    made->view = view;
    table->freeze = true;
    return table;
}

void columns_add_of(Table *table, const void *of, const void *item)
{
    ColumnsTable *made = table->state;
    made->columns(&(Row){.item = item,
                         .of = of,
                         .view = made->view,
                         .arena = made->rows.arena,
                         .cells = table_add_row(table)});
}

void columns_add(Table *table, const void *item)
{
    columns_add_of(table, NULL, item);
}

Table *columns_of_items(const char *name, Columns *columns, const void *view, const void *items,
                        size_t count, size_t size, Arena *arena)
{
    Table *table = columns_table(name, columns, view, arena);
    for (size_t i = 0; i < count; i++)
        columns_add(table, (const char *)items + i * size);
    return table;
}
