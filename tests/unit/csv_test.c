// SPDX-License-Identifier: Apache-2.0
#include "renderers/csv.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "check.h"
#include "hostile_table.h"

static Str render(Table *table, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(csv_renderer.write_tables(&table, 1, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

static void cells_are_written_by_their_kind(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}}, {.title = {"b, c", 4}}};
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "t", columns, 2, arena);
    Cell *cells = table_add_row(&table);
    cells[0] = cell_number(-1.5);
    cells[1] = cell_number_as(0.123456, STR("0.12"));
    cells = table_add_row(&table);
    cells[0] = cell_number(NAN);
    cells[1] = cell_bool(true);
    cells = table_add_row(&table);
    cells[0] = cell_text(STR("two\r\nlines \"x\""));
    cells = table_add_row(&table);
    cells[0] = cell_text(STR(" blank"));
    cells[1] = cell_text(STR("层"));
    Str want = STR("a,\"b, c\"\n-1.5,0.12\nnan,True\n\"two\nlines \"\"x\"\"\",\n\" blank\",层\n");
    CHECK(str_equal(render(&table, arena), want));
    CHECK(str_equal(render(&table, arena), want));
    arena_release(arena);
}

static void a_byte_that_asks_for_quotes_is_seen_wherever_it_stands(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}}};
    Table table;
    TableRows rows;
    char text[20];
    for (size_t at = 0; at < sizeof text; at++)
        for (int byte = ' '; byte <= '~'; byte++) {
            memset(text, at % 2 ? '-' : '#', sizeof text);
            text[0] = 'x';
            text[at] = (char)byte;
            bool edge = at == 0 || at == sizeof text - 1;
            bool quoted = byte == ',' || byte == '"' || (byte == ' ' && edge);
            table_init_rows(&table, &rows, "t", columns, 1, arena);
            table_add_row(&table)[0] = cell_text((Str){text, sizeof text});
            Str written = render(&table, arena);
            bool neutral = at == 0 && (byte == '=' || byte == '+' || byte == '-' || byte == '@');
            CHECK(written.size == 2 + sizeof text + 1 + 2 * quoted + (byte == '"') + neutral);
            CHECK((written.data[2] == '"') == quoted);
        }
    arena_release(arena);
}

static void formulas_get_an_apostrophe_and_numbers_none(void)
{
    static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                           {"+1", "+1"},
                                           {"-1.5", "-1.5"},
                                           {"-inf", "-inf"},
                                           {"-x", "'-x"},
                                           {"@SUM(A1)", "'@SUM(A1)"},
                                           {"\tx", "'\tx"},
                                           {"\n=1", "'\n'=1"},
                                           {"'=1", "''=1"},
                                           {"''-a", "'''-a"},
                                           {"'quoted'", "'quoted'"},
                                           {"＝1", "'＝1"},
                                           {"a=b", "a=b"},
                                           {"", ""},
                                           {"--", "'--"},
                                           {"-1.5;x", "'-1.5;x"},
                                           {"a;=1", "a;'=1"},
                                           {"a\t@x;-1;-y", "a\t'@x;-1;'-y"},
                                           {"a;b = c", "a;b = c"},
                                           {"\xEF\xBB\xBF=1", "'\xEF\xBB\xBF=1"}};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_TEXT(csv_neutral(str_of(pairs[i][0]), arena), pairs[i][1]);
    arena_release(arena);
}

// Reads one field of CSV; *at moves past it and its separator. Gives the text without the quotes.
static Str read_field(Str csv, size_t *at, Arena *arena)
{
    StrBuf buf;
    buf = strbuf_new(arena);
    bool quoted = csv.data[*at] == '"';
    for (*at += quoted; *at < csv.size; (*at)++) {
        char c = csv.data[*at];
        if (quoted && c == '"' && csv.data[*at + 1] != '"') {
            quoted = false;
            continue;
        }
        if (quoted && c == '"')
            (*at)++;
        else if (!quoted && (c == ',' || c == '\n'))
            break;
        strbuf_add_char(&buf, c);
    }
    (*at)++;
    return strbuf_str(&buf);
}

static void hostile_names_read_back_and_start_no_formula(void)
{
    Arena *arena = arena_new();
    Table table;
    TableRows rows;
    hostile_table(&table, &rows, arena);
    Str csv = render(&table, arena);
    CHECK(utf8_valid(csv));
    size_t at = str_find_char(csv, '\n', 0) + 1;
    CHECK(str_starts(csv, STR("no.,'=name|,status\n")));
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        double number;
        CHECK(number_of_text(read_field(csv, &at, arena), &number) && number < -1);
        Str name = read_field(csv, &at, arena);
        CHECK(name.size && (!strchr("=@\t", name.data[0])));
        if (name.data[0] == '\'')
            CHECK(str_ends(name, str_slice(name, 1, name.size)));
        CHECK(str_equal(name, read_field(csv, &at, arena)));
    }
    CHECK(at == csv.size);
    arena_release(arena);
}

static void a_file_holds_exactly_one_table(void)
{
    Arena *arena = arena_new();
    Error err;
    Sink *sink = sink_memory(arena);
    RenderOptions options = {.theme = demo_theme()};
    CHECK(!csv_renderer.write_tables(NULL, 0, &options, sink, &err));
    CHECK_TEXT(str_of(err.text), "a CSV file holds one table, not 0");
    sink_discard(sink);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(cells_are_written_by_their_kind);
    CHECK_RUN(a_byte_that_asks_for_quotes_is_seen_wherever_it_stands);
    CHECK_RUN(formulas_get_an_apostrophe_and_numbers_none);
    CHECK_RUN(hostile_names_read_back_and_start_no_formula);
    CHECK_RUN(a_file_holds_exactly_one_table);
    return CHECK_RESULT;
}
