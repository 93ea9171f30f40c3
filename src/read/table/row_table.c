// SPDX-License-Identifier: Apache-2.0
#include "read/table/row_table.h"

#include "base/words.h"

// ---- cells between bars: Markdown, and what scripts print

// Cells of the line; bars at its ends are none. 0: the line has no bar.
static size_t bar_count(Str line)
{
    size_t count = 0;
    for (size_t i = 0; i < line.size; i++)
        count += line.data[i] == '|';
    return count;
}

static bool is_rule(Str line)
{
    for (size_t i = 0; i < line.size; i++)
        if (str_find_char(STR("|-:+= "), line.data[i], 0) == SIZE_MAX)
            return false;
    return true;
}

static void add_bars(StrBuf *out, Str line)
{
    Str cell;
    if (str_starts(line, STR("|")))
        line = str_slice(line, 1, line.size);
    if (str_ends(line, STR("|")))
        line = str_slice(line, 0, line.size - 1);
    for (const char *comma = ""; str_split(&line, '|', &cell); comma = ",") {
        strbuf_add(out, str_of(comma));
        csv_add_cell(out, str_trim(cell));
    }
    strbuf_add_char(out, '\n');
}

// The lines with as many bars as the first one that has any, as CSV; the text itself where its
// first line with a bar has commas, or no other has as many.
static Str bars_as_csv(Str text, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    size_t bars = 0, rows = 0;
    for (Str rest = text, line; str_split(&rest, '\n', &line);) {
        line = str_trim(line);
        size_t count = bar_count(line);
        if (count == 0 || (bars && count != bars) || is_rule(line))
            continue;
        if (!bars && (count == 1 || str_find_char(line, ',', 0) != SIZE_MAX))
            return text;
        bars = count;
        rows++;
        add_bars(&out, line);
    }
    return rows > 1 ? strbuf_str(&out) : text;
}

bool row_table_open(const char *path, Str text, Arena *arena, RowTable *out, Error *err)
{
    *out = (RowTable){.sheet_count = 1, .arena = arena, .err = err};
    if (!xlsx_is(text)) {
        Str plain = bars_as_csv(text, arena);
        csv_open(&out->csv, path, plain, plain.data == text.data ? '\0' : ',', arena);
        return true;
    }
    out->book = xlsx_open(path, text, arena, err);
    if (out->book)
        out->sheet_count = xlsx_sheet_count(out->book);
    return out->book != NULL;
}

void row_table_close(RowTable *table, Notices *notices)
{
    if (table->book) {
        xlsx_close(table->book);
        return;
    }
    csv_report(&table->csv, notices);
    Where last = WHERE_LINE(table->csv.path, table->csv.line);
    if (table->cut)
        notices_partial(notices, last, "%s",
                        tr("the last line has no end and is left out (still being written?)"));
    else if (table->csv.unfinished)
        notices_add(notices, NOTICE_WARNING, last, "%s",
                    tr("the last line has no end; its last number may be cut"));
}

static void take_names(RowTable *table)
{
    table->names = NULL;
    table->name_count = 0;
    if (!xlsx_next(table->book, &table->row))
        return;
    Str *names = ARENA_ARRAY(table->arena, Str, table->row.count);
    for (size_t i = 0; i < table->row.count; i++)
        names[i] = str_copy(table->arena, str_trim(table->row.cells[i]));
    table->names = names;
    table->name_count = table->row.count;
}

bool row_table_start(RowTable *table, size_t sheet)
{
    if (table->book) {
        if (!xlsx_sheet_start(table->book, sheet, table->err))
            return false;
        take_names(table);
        return !xlsx_failed(table->book);
    }
    if (csv_next(&table->csv))
        csv_take_header(&table->csv);
    table->names = table->csv.names;
    table->name_count = table->csv.column_count;
    return true;
}

bool row_table_next(RowTable *table)
{
    if (table->book)
        return xlsx_next(table->book, &table->row);
    if (!csv_next(&table->csv))
        return false;
    table->cut = table->csv.unfinished && !csv_row_is_whole(&table->csv);
    return !table->cut;
}

bool row_table_failed(const RowTable *table)
{
    return table->book && xlsx_failed(table->book);
}

int row_table_column(const RowTable *table, const char *name)
{
    if (!table->book)
        return csv_column(&table->csv, name);
    for (size_t i = 0; i < table->name_count; i++)
        if (str_equal_nocase(table->names[i], str_of(name)))
            return (int)i;
    return -1;
}

Str row_table_cell(const RowTable *table, int column)
{
    if (!table->book)
        return csv_cell(&table->csv, column);
    bool there = column >= 0 && (size_t)column < table->row.count;
    return there ? str_trim(table->row.cells[column]) : (Str){"", 0};
}
