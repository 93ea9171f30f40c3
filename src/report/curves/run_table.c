// SPDX-License-Identifier: Apache-2.0
#include "report/curves/run_table.h"

#include <stdio.h>

#include "base/words.h"
#include "model/run/run_rows.h"
#include "report/kit/cell.h"

typedef struct TableState {
    RunRows rows;
    char step[24];  // the text of the row given last
} TableState;

static bool next_row(void *state, Cell *cells)
{
    TableState *own = state;
    if (!run_rows_next(&own->rows))
        return false;
    int size = snprintf(own->step, sizeof own->step, "%lld", (long long)own->rows.step);
    cells[0] = cell_number_as((double)own->rows.step, (Str){own->step, (size_t)size});
    for (size_t i = 0; i < own->rows.run->series_count; i++)
        if (!point_is_absent(own->rows.values[i]))
            cells[i + 1] = cell_value(own->rows.values[i]);
    return true;
}

static void rewind_rows(void *state)
{
    run_rows_rewind(&((TableState *)state)->rows);
}

Table *run_table(const Run *run, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    TableState *state = ARENA_NEW(arena, TableState);
    Column *columns = ARENA_ARRAY(arena, Column, run->series_count + 1);
    run_rows_init(&state->rows, run, arena);
    columns[0] = (Column){.title = str_of(run->x_unit), .number = true};
    for (size_t i = 0; i < run->series_count; i++)
        columns[i + 1] = (Column){.title = run->series[i].name, .number = true};
    *table = (Table){.name = str_of(tr("Values")),
                     .columns = columns,
                     .column_count = run->series_count + 1,
                     .row_count = UINT64_MAX,
                     .freeze = true,
                     .next = next_row,
                     .rewind = rewind_rows,
                     .state = state};
    return table;
}
