// SPDX-License-Identifier: Apache-2.0
#include "report/kit/summary_sheet.h"

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

static void fact_columns(Row *row)
{
    const Verdict *verdict = row->view;
    const SummaryFact *fact = row->item;
    ROW_COLUMN(row, verdict->sentence, 24, false, cell_text(fact->name));
    ROW_COLUMN(row, STR(""), 60, false, fact->value);
    ROW_COLUMN(row, STR(""), 14, false, fact->more);
}

Str summary_sheet_link(const char *sheet, uint64_t row, Arena *arena)
{
    return str_printf(arena, "internal:'%s'!A%llu", sheet, (unsigned long long)row);
}

static void add_sheet(Table *table, const Table *sheet, Arena *arena)
{
    SummaryFact fact = {.value = cell_text(sheet->name)};
    fact.value.link = summary_sheet_link(str_cstr(arena, sheet->name), 1, arena);
    if (sheet->row_count != UINT64_MAX)
        fact.more = cell_count(sheet->row_count, arena);
    columns_add(table, &fact);
}

Table *summary_sheet(const Verdict *verdict, const SummaryFacts *facts, Table *const *sheets,
                     size_t count, Arena *arena)
{
    static const SummaryFact blank = {.name = {"", 0}};
    Table *table = columns_table(TR("Summary"), fact_columns, verdict, arena);
    table->freeze = false;
    columns_add(table, &(SummaryFact){
                           str_of(tr("status")), cell_styled(verdict->style, verdict->word), {0}});
    for (size_t i = 0; facts && i < facts->count; i++)
        columns_add(table, &facts->items[i]);
    columns_add(table, &blank);
    columns_add(
        table, &(SummaryFact){.name = str_of(tr("sheets")), .more = cell_text(str_of(tr("rows")))});
    for (size_t i = 0; i < count; i++)
        add_sheet(table, sheets[i], arena);
    return table;
}

bool summary_sheet_is(const Table *table)
{
    return str_equal(table->name, str_of(tr("Summary")));
}
