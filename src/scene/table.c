// SPDX-License-Identifier: Apache-2.0
#include "scene/table.h"

#include <string.h>

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
