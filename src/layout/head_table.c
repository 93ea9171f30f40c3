// SPDX-License-Identifier: Apache-2.0
#include "layout/head_table.h"

#include <math.h>

#include "base/words.h"
#include "layout/figure_text.h"

Table *head_table(const char *name, const TableHead *heads, size_t count, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    TableRows *rows = ARENA_NEW(arena, TableRows);
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){.title = str_of(tr(heads[i].title)),
                              .width = heads[i].width,
                              .number = heads[i].number};
    table_init_rows(table, rows, tr(name), columns, count, arena);
    table->freeze = true;
    return table;
}

Cell number_cell(double value, Arena *arena)
{
    if (isnan(value))
        return cell_text(STR("—"));
    Str shown = figure_number(value, 3, arena);
    return isfinite(value) ? cell_number_as(value, shown) : cell_text(shown);
}

Cell percent_cell(double share, Arena *arena)
{
    if (!isfinite(share))
        return cell_text(STR("—"));
    Str shown = figure_number(100 * share, 3, arena);
    return cell_number_as(share, str_printf(arena, STR_FMT " %%", STR_ARG(shown)));
}

Cell step_cell(int64_t step, Arena *arena)
{
    Str shown =
        step < 0 ? str_printf(arena, "%lld", (long long)step) : figure_count((uint64_t)step, arena);
    return cell_number_as((double)step, shown);
}
