// SPDX-License-Identifier: Apache-2.0
#include "renderers/csv.h"

#include <string.h>

#include "base/words.h"
#include "renderers/cell_text.h"

static bool starts_formula(Str text)
{
    const Str mark = STR("\xEF\xBB\xBF");  // of the byte order, which a spreadsheet takes away
    // Each of them begins with one of these bytes.
    if (!text.size || !memchr("'=+-@\t\n\xEF", text.data[0], 8))
        return false;
    while (str_starts(text, mark) || str_starts(text, STR("'")))
        text = str_slice(text, text.data[0] == '\'' ? 1 : mark.size, text.size);
    return STR_ANY(text, str_starts, "=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠");
}

static bool is_plain_number(Str text)
{
    double number;
    for (size_t i = 0; i < text.size; i++)
        if (!memchr("0123456789.eE+-%", text.data[i], 16))
            return number_of_text(text, &number);
    return true;
}

// Where a spreadsheet that takes ';' or a tab for its separator begins a cell within the text, and
// would run it: the place after the separator, or SIZE_MAX. A quote that is not at the start of
// such a cell quotes nothing there, so a line feed begins one as well.
static size_t formula_within(Str text, size_t from)
{
    for (size_t at = from; at < text.size; at++) {
        if (!memchr(";\t\n", text.data[at], 3))
            continue;
        size_t end = at + 1;
        while (end < text.size && !memchr(";\t\n", text.data[end], 3))
            end++;
        Str piece = str_slice(text, at + 1, end);
        if (piece.size && piece.data[0] != '\'' && starts_formula(piece) && !is_plain_number(piece))
            return at + 1;
    }
    return SIZE_MAX;
}

Str csv_neutral(Str text, Arena *arena)
{
    double number;
    size_t next = formula_within(text, 0);
    bool starts = starts_formula(text) && !number_of_text(text, &number);
    if (!starts && next == SIZE_MAX)
        return text;
    StrBuf out = strbuf_new(arena);
    strbuf_add(&out, starts ? STR("'") : STR(""));
    for (size_t from = 0; from < text.size;) {
        size_t end = next == SIZE_MAX ? text.size : next;
        strbuf_add(&out, str_slice(text, from, end));
        if (next != SIZE_MAX)
            strbuf_add_char(&out, '\'');
        from = end;
        next = next == SIZE_MAX ? SIZE_MAX : formula_within(text, next);
    }
    return strbuf_str(&out);
}

bool csv_is_neutral(Str cell)
{
    return ((cell.size && cell.data[0] == '\'') || !starts_formula(cell) ||
            is_plain_number(cell)) &&
           formula_within(cell, 0) == SIZE_MAX;
}

// Not 0 where one of the eight bytes of `word` is `byte`.
static uint64_t holds(uint64_t word, char byte)
{
    uint64_t ones = UINT64_C(0x0101010101010101), other = word ^ ones * (unsigned char)byte;
    return (other - ones) & ~other & ones << 7;
}

static bool needs_quotes(Str text)
{
    size_t start = 0;
    for (uint64_t word; text.size - start >= sizeof word; start += sizeof word) {
        memcpy(&word, text.data + start, sizeof word);
        if (holds(word, ',') | holds(word, '"') | holds(word, '\n'))
            return true;
    }
    for (size_t i = start; i < text.size; i++)
        if (text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n')
            return true;
    return text.size && (text.data[0] == ' ' || text.data[text.size - 1] == ' ');
}

static void write_field(Sink *out, Str text)
{
    if (!needs_quotes(text)) {
        sink_str(out, text);
        return;
    }
    sink_text(out, "\"");
    for (size_t from = 0, quote; from < text.size; from = quote) {
        quote = str_find_char(text, '"', from);
        quote = quote == SIZE_MAX ? text.size : quote + 1;
        sink_str(out, str_slice(text, from, quote));
        if (text.data[quote - 1] == '"')
            sink_text(out, "\"");
    }
    sink_text(out, "\"");
}

static void write_text(Sink *out, Str text, Arena *arena)
{
    write_field(out, csv_neutral(cell_clean(text, arena), arena));
}

static void write_cell(Sink *out, const Cell *cell, Arena *arena)
{
    char buffer[NUMBER_BYTES];
    Str shown = cell_shown(cell, buffer);
    if (cell->kind == CELL_TEXT)
        write_text(out, shown, arena);
    else
        write_field(out, shown);
}

static void write_header(Sink *out, const Table *table, Arena *arena)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (i)
            sink_text(out, ",");
        write_text(out, table->columns[i].title, arena);
    }
    sink_text(out, "\n");
}

static void write_rows(Sink *out, Table *table, Cell *cells)
{
    enum { ROWS_AN_ARENA = 4096 };  // the texts that had to be cleaned are dropped now and then
    Arena *arena = arena_new();
    write_header(out, table, arena);
    table->rewind(table->state);
    for (size_t row = 1; table->next(table->state, cells); row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            if (i)
                sink_write(out, ",", 1);
            write_cell(out, &cells[i], arena);
            cells[i] = (Cell){.kind = CELL_EMPTY};
        }
        sink_text(out, "\n");
        if (row % ROWS_AN_ARENA == 0) {
            arena_release(arena);
            arena = arena_new();
        }
    }
    arena_release(arena);
}

static bool write_tables(Table *const *tables, size_t count, const RenderOptions *options,
                         Sink *out, Error *err)
{
    (void)options;
    if (count != 1)
        return error_set(err, ERR_OUTPUT, NOWHERE, tr("a CSV file holds one table, not %zu"),
                         count);
    Arena *arena = arena_new();
    write_rows(out, tables[0], ARENA_ARRAY(arena, Cell, tables[0]->column_count));
    arena_release(arena);
    return true;
}

const Renderer csv_renderer = {
    .name = "csv",
    .suffix = ".csv",
    .one_table = true,
    .write_tables = write_tables,
};
