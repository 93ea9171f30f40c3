// SPDX-License-Identifier: Apache-2.0
#include "layout/table_heads.h"

#include "base/words.h"

Table *table_with_heads(const char *name, const TableHead *heads, size_t count, Arena *arena)
{
    Column *columns = ARENA_ARRAY(arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){.title = str_of(tr(heads[i].title)),
                              .width = heads[i].width,
                              .number = heads[i].number};
    Table *table = ARENA_NEW(arena, Table);
    table_init_rows(table, ARENA_NEW(arena, TableRows), tr(name), columns, count, arena);
    table->freeze = true;
    return table;
}
