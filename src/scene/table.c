// SPDX-License-Identifier: Apache-2.0
#include "scene/table.h"

#include <string.h>

#include "base/number.h"
#include "base/words.h"

static bool next_row(void *state, Cell *cells)
{
    TableRows *rows = state;
    if (rows->at == rows->row_count)
        return false;
    memcpy(cells, rows->cells + rows->at * rows->column_count, rows->column_count * sizeof *cells);
    rows->at++;
    return true;
}

static void rewind_rows(void *state)
{
    ((TableRows *)state)->at = 0;
}

void table_init_rows(Table *table, TableRows *rows, const char *name, const Column *columns,
                     size_t column_count, Arena *arena)
{
    *rows = (TableRows){.arena = arena, .column_count = column_count};
    *table = (Table){.name = str_of(name),
                     .columns = columns,
                     .column_count = column_count,
                     .next = next_row,
                     .rewind = rewind_rows,
                     .state = rows};
}

Cell *table_add_row(Table *table)
{
    TableRows *rows = table->state;
    size_t row_bytes = rows->column_count * sizeof(Cell);
    if (rows->row_count == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 16;
        rows->cells =
            arena_grow(rows->arena, rows->cells, rows->capacity * row_bytes, capacity * row_bytes);
        rows->capacity = capacity;
    }
    Cell *cells = rows->cells + rows->row_count * rows->column_count;
    memset(cells, 0, row_bytes);
    rows->row_count++;
    table->row_count = rows->row_count;
    return cells;
}

Cell cell_text(Str text)
{
    return (Cell){.kind = CELL_TEXT, .text = text};
}

Cell cell_styled(CellStyle style, Str text)
{
    return (Cell){.kind = CELL_TEXT, .style = style, .text = text};
}

Cell cell_number(double number)
{
    return (Cell){.kind = CELL_NUMBER, .number = number};
}

Cell cell_number_as(double number, Str text)
{
    return (Cell){.kind = CELL_NUMBER, .number = number, .text = text};
}

Cell cell_bool(bool value)
{
    return (Cell){.kind = CELL_BOOL, .number = value};
}

static void copy_row(Table *table, const Cell *cells, Arena *arena)
{
    Cell *row = table_add_row(table);
    for (size_t i = 0; i < table->column_count; i++) {
        row[i] = cells[i];
        row[i].text = str_copy(arena, cells[i].text);
        row[i].title = str_copy(arena, cells[i].title);
        row[i].link = (Str){"", 0};
    }
}

static Str rows_left_out(uint64_t rows, Arena *arena)
{
    char count[NUMBER_BYTES];
    number_count(rows, count);
    return str_printf(
        arena,
        tr_count(rows, "… and %s more row, left out here", "… and %s more rows, left out here"),
        count);
}

Table *table_copy(Table *from, uint64_t rows_max, Arena *arena)
{
    Table *copy = ARENA_NEW(arena, Table);
    Column *columns = ARENA_ARRAY(arena, Column, from->column_count);
    Cell *cells = ARENA_ARRAY(arena, Cell, from->column_count);
    uint64_t left_out = 0;
    for (size_t i = 0; i < from->column_count; i++) {
        columns[i] = from->columns[i];
        columns[i].title = str_copy(arena, columns[i].title);
    }
    table_init_rows(copy, ARENA_NEW(arena, TableRows), str_cstr(arena, from->name), columns,
                    from->column_count, arena);
    copy->note = str_copy(arena, from->note);
    copy->freeze = from->freeze;
    from->rewind(from->state);
    while (from->next(from->state, cells)) {
        if (copy->row_count < rows_max)
            copy_row(copy, cells, arena);
        else
            left_out++;
        memset(cells, 0, from->column_count * sizeof *cells);
    }
    from->rewind(from->state);
    if (left_out)
        copy->note = rows_left_out(left_out, arena);
    return copy;
}
