// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/stat_table.h"

#include "base/array.h"
#include "read/table/csv_file.h"

enum { STATISTICS_MAX = 64 };

typedef struct StatValue {
    uint32_t row, statistic;
    Str text;
} StatValue;

typedef struct StatRow {
    Str name, group, step;
    uint32_t first, count;  // of its values, once they are sorted
    uint64_t known;         // 1 << statistic
} StatRow;

void stat_table_init(StatTable *table, const char *group, bool restarts, Arena *arena)
{
    *table = (StatTable){.group = group,
                         .restarts = restarts,
                         .keys = names_new(arena),
                         .statistics = names_new(arena)};
}

void stat_table_add(StatTable *table, const StatCell *cell, Arena *arena)
{
    uint32_t statistic = names_find(table->statistics, cell->statistic);
    if (statistic == NAME_NONE && names_count(table->statistics) < STATISTICS_MAX)
        statistic = names_add(table->statistics, cell->statistic);
    if (statistic == NAME_NONE)
        return;
    NameId key = names_add(table->keys,
                           str_printf(arena, STR_FMT "\t" STR_FMT "\t" STR_FMT, STR_ARG(cell->name),
                                      STR_ARG(cell->group), STR_ARG(cell->step)));
    uint32_t *row = &ARRAY_REACH(arena, table->row_of, table->row_of_count, key)[key];
    uint64_t bit = UINT64_C(1) << (statistic - 1);
    if (*row == 0 || (table->restarts && table->rows.items[*row - 1].known & bit)) {
        *ARRAY_PUSH(arena, &table->rows) =
            (StatRow){.name = cell->name, .group = cell->group, .step = cell->step};
        *row = (uint32_t)table->rows.count;
    }
    table->rows.items[*row - 1].known |= bit;
    table->rows.items[*row - 1].count++;
    *ARRAY_PUSH(arena, &table->values) = (StatValue){*row - 1, statistic - 1, cell->value};
}

// The values of a row next to each other, in the order in which they came.
static StatValue *by_row(StatTable *table, Arena *arena)
{
    StatValue *sorted = ARENA_ARRAY(arena, StatValue, table->values.count);
    uint32_t next = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        StatRow *row = &table->rows.items[i];
        row->first = next;
        next += row->count;
        row->count = 0;
    }
    for (size_t i = 0; i < table->values.count; i++) {
        StatRow *row = &table->rows.items[table->values.items[i].row];
        sorted[row->first + row->count++] = table->values.items[i];
    }
    return sorted;
}

Str stat_table_text(StatTable *table, Arena *arena)
{
    size_t columns = names_count(table->statistics);
    StrBuf out = strbuf_new(arena);
    if (table->rows.count == 0)
        return STR("");
    Arena *scratch = arena_new();
    const StatValue *values = by_row(table, scratch);
    strbuf_printf(&out, "name,step,%s", table->group);
    for (size_t i = 0; i < columns; i++) {
        strbuf_add_char(&out, ',');
        csv_add_cell(&out, names_text(table->statistics, (NameId)(i + 1)));
    }
    strbuf_add_char(&out, '\n');
    for (size_t r = 0; r < table->rows.count; r++) {
        const StatRow *row = &table->rows.items[r];
        Str cells[STATISTICS_MAX] = {{0}};
        for (size_t i = 0; i < row->count; i++)
            cells[values[row->first + i].statistic] = values[row->first + i].text;
        csv_add_cell(&out, row->name);
        strbuf_printf(&out, "," STR_FMT "," STR_FMT, STR_ARG(row->step), STR_ARG(row->group));
        for (size_t i = 0; i < columns; i++) {
            strbuf_add_char(&out, ',');
            strbuf_add(&out, cells[i]);
        }
        strbuf_add_char(&out, '\n');
    }
    arena_release(scratch);
    return strbuf_str(&out);
}
