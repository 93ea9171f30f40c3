// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx.h"
#include "renderers/xlsx_names.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <zip.h>

#include "base/file.h"
#include "base/number.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "commands/merge/part_book.h"
#include "hostile_table.h"
#include "markup_check.h"
#include "read/table/xlsx_file.h"

static Str render(Table *const *tables, size_t count, Arena *arena)
{
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(xlsx_renderer.write_tables(tables, count, &options, sink, &err));
    Str bytes = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return bytes;
}

// A part of the workbook, without the XML declaration; empty if there is none.
static Str part(Str book, const char *name, Arena *arena)
{
    zip_error_t error;
    zip_source_t *source = zip_source_buffer_create(book.data, book.size, 0, &error);
    zip_t *zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    zip_stat_t about;
    Str text = {"", 0};
    if (zip && zip_stat(zip, name, 0, &about) == 0) {
        char *bytes = arena_alloc(arena, about.size);
        zip_file_t *file = zip_fopen(zip, name, 0);
        CHECK(zip_fread(file, bytes, about.size) == (zip_int64_t)about.size);
        zip_fclose(file);
        size_t start = str_find((Str){bytes, about.size}, STR("?>\n"), 0);
        text = str_slice((Str){bytes, about.size}, start + 3, about.size);
    }
    if (zip)
        zip_discard(zip);
    return text;
}

static bool has(Str text, const char *piece)
{
    return str_find(text, str_of(piece), 0) != SIZE_MAX;
}

static void cells_are_written_by_their_kind(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}, .width = 20}, {.title = {"b", 1}}};
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "Compare", columns, 2, arena);
    table.freeze = true;
    table.note = STR("rows left out: 5");
    Cell *cells = table_add_row(&table);
    cells[0] = cell_number(-1.5);
    cells[1] = cell_number_as(0.123456, STR("0.12"));
    cells = table_add_row(&table);
    cells[0] = cell_number(NAN);
    cells[1] = cell_number(-INFINITY);
    cells = table_add_row(&table);
    cells[0] = cell_bool(true);
    cells[1] = cell_styled(STYLE_ERROR, STR("error"));
    Table *list[] = {&table};
    Str book = render(list, 1, arena);
    Str sheet = part(book, "xl/worksheets/sheet1.xml", arena);
    CHECK(has(sheet, "<v>-1.5</v></c>"));
    CHECK(has(sheet, "<v>0.123456</v></c>"));
    CHECK(has(sheet, "<row><c t=\"inlineStr\"><is><t>nan</t></is></c>"));
    CHECK(has(sheet, "<c t=\"inlineStr\"><is><t>-inf</t></is></c>"));
    CHECK(has(sheet, "<row><c t=\"b\"><v>1</v></c>"));
    CHECK(has(sheet, "<row r=\"6\"><c ") && has(sheet, "<t>rows left out: 5</t>"));
    CHECK(has(sheet, "<pane ySplit=\"1\" topLeftCell=\"A2\""));
    CHECK(has(sheet, "<autoFilter ref=\"A1:B4\"/>"));
    CHECK(has(sheet, "<col min=\"1\" max=\"1\" width=\"20."));
    CHECK(has(part(book, "xl/styles.xml", arena), "FFA50F15"));
    CHECK(has(part(book, "xl/workbook.xml", arena), "<sheet name=\"Compare\""));
    CHECK(has(part(book, "docProps/core.xml", arena), ">1980-01-01T00:00:00Z<"));
    CHECK(str_equal(book, render(list, 1, arena)));
    arena_release(arena);
}

static void whole_numbers_read_back_exactly_and_others_in_ten_digits(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}}};
    static const double numbers[] = {5e-324,
                                     1.7976931348623157e308,
                                     1e16,
                                     9007199254740992,
                                     0.25,
                                     -2.1935627460479736,
                                     16000.976828482153,
                                     0.99999999996};
    enum { EXACT = 5 };
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "Compare", columns, 1, arena);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        table_add_row(&table)[0] = cell_number(numbers[i]);
    Table *list[] = {&table};
    Str sheet = part(render(list, 1, arena), "xl/worksheets/sheet1.xml", arena);
    for (size_t i = 0, at = 0; i < sizeof numbers / sizeof *numbers; i++) {
        at = str_find(sheet, STR("<v>"), at) + 3;
        double read = 0;
        Str text = str_slice(sheet, at, str_find_char(sheet, '<', at));
        CHECK(number_of_text(text, &read) && (i >= EXACT || read == numbers[i]));
        CHECK(fabs(read - numbers[i]) <= 5e-10 * fabs(numbers[i]) &&
              (i < EXACT || text.size <= 12));
    }
    Cell percent = {.kind = CELL_PERCENT, .number = 100. / 3};
    table_init_rows(&table, &rows, "Compare", columns, 1, arena);
    table_add_row(&table)[0] = percent;
    percent.number = 0;
    table_add_row(&table)[0] = percent;
    sheet = part(render(list, 1, arena), "xl/worksheets/sheet1.xml", arena);
    CHECK(has(sheet, "<t>33.33333333%</t>") && has(sheet, "<t>0.0%</t>"));
    arena_release(arena);
}

static void charts_of_two_tables_have_names_of_their_own(void)
{
    enum { ROWS = 3000 };  // more than stay in the library's file
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"step", 4}, .number = true},
                                     {.title = {"loss", 4}, .number = true, .chart = 1}};
    Table tables[2];
    TableRows rows[2];
    for (int t = 0; t < 2; t++) {
        table_init_rows(&tables[t], &rows[t], "Values", columns, 2, arena);
        for (int i = 0; i < ROWS; i++) {
            Cell *cells = table_add_row(&tables[t]);
            cells[0] = cell_number(i);
            cells[1] = cell_number(1.0 / (i + 7));
        }
    }
    Table *list[] = {&tables[0], &tables[1]};
    Str book = render(list, 2, arena);
    Str names = part(book, "xl/workbook.xml", arena);
    CHECK(has(names, "name=\"Chart\"") && has(names, "name=\"Chart (2)\""));
    CHECK(has(part(book, "xl/worksheets/sheet2.xml", arena), "<v>2999</v>"));
    arena_release(arena);
}

typedef struct SheetCheck {
    Arena *arena;
    size_t text;  // texts seen
    bool wrong;
} SheetCheck;

static void refuse_formulas(void *state, Str element, Str attribute, Str value)
{
    (void)attribute, (void)value;
    SheetCheck *check = state;
    static const char *const allowed[] = {
        "worksheet",  "dimension",   "sheetViews", "sheetView", "sheetFormatPr",
        "cols",       "col",         "sheetData",  "row",       "c",
        "v",          "is",          "t",          "pane",      "selection",
        "autoFilter", "pageMargins", "sheetPr",    "pageSetup", "pageSetUpPr",
        "hyperlinks", "hyperlink",   "cfRule",     "formula",   "conditionalFormatting"};
    bool known = false;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        known |= str_equal(element, str_of(allowed[i]));
    CHECK(known);  // no <f>
    check->wrong |= !known;
}

static void expect_names(void *state, Str element, Str text)
{
    SheetCheck *check = state;
    if (str_equal(element, STR("formula"))) {  // a condition: a word in quotes
        CHECK(text.size > 2 && text.data[0] == '"' && text.data[text.size - 1] == '"');
        for (size_t i = 1; i + 1 < text.size; i++)
            CHECK(strchr("=+-@()!\"'&<>|", text.data[i]) == NULL);
    }
    if (!str_equal(element, STR("t")))
        return;
    size_t at = check->text++;
    if (at < 3)
        return;  // the header
    size_t name = (at - 3) / 2;
    CHECK(name < HOSTILE_COUNT);
    Str want = str_of(hostile_names[name]);
    if (strchr(want.data, '\n') || strchr(want.data, '\t') || strchr(want.data, '\r'))
        return;
    if (str_equal(want, STR("_x000D_")))
        want = STR("_x005F_x000D_");
    want = utf8_display(want, check->arena);
    CHECK(str_equal(text, want));
}

static void hostile_names_are_texts_and_nothing_else(void)
{
    Arena *arena = arena_new();
    Table table;
    TableRows rows;
    hostile_table(&table, &rows, arena);
    Table *list[] = {&table, &table};
    Str book = render(list, 2, arena);
    SheetCheck check = {.arena = arena};
    MarkupVisitor visitor = {refuse_formulas, expect_names, &check};
    CHECK(markup_well_formed(part(book, "xl/worksheets/sheet1.xml", arena), arena, &visitor));
    CHECK(check.text == 3 + 2 * HOSTILE_COUNT);
    Str names = part(book, "xl/workbook.xml", arena);
    CHECK(has(names, "name=\"Hostile _names__ a_b_c__\""));
    CHECK(has(names, "name=\"Hostile _names__ a_b_c__ (2)\""));
    // Of names that could be those of files next to it a link is made; none leads elsewhere.
    Str links = part(book, "xl/worksheets/_rels/sheet1.xml.rels", arena);
    CHECK(!has(links, "Target=\"http") && !has(links, "Target=\"/") && !has(links, ".."));
    CHECK(!has(links, "file:") && !has(links, "\\"));
    arena_release(arena);
}

static void a_cell_leads_to_a_sheet_or_to_a_file_next_to_the_workbook(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}}, {.title = {"b", 1}, .folded = true}};
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "Compare", columns, 2, arena);
    static const char *const links[] = {"internal:'Compare'!A2", "page-step0.html", "../up.html",
                                        "http://elsewhere", "#anchor"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        Cell *cells = table_add_row(&table);
        cells[0] = cell_text(STR("go"));
        cells[0].link = str_of(links[i]);
        cells[1] = cell_number_as(1234567, STR("1,234,567"));
    }
    Table *list[] = {&table};
    Str book = render(list, 1, arena), sheet = part(book, "xl/worksheets/sheet1.xml", arena);
    CHECK(has(sheet, "location=\"'Compare'!A2\"") && has(sheet, "ref=\"A3\""));
    CHECK(!has(sheet, "ref=\"A4\"") && !has(sheet, "ref=\"A5\"") && !has(sheet, "ref=\"A6\""));
    CHECK(has(sheet, "hidden=\"1\"") && has(sheet, "orientation=\"landscape\""));
    Str links_out = part(book, "xl/worksheets/_rels/sheet1.xml.rels", arena);
    CHECK(has(links_out, "page-step0.html") && !has(links_out, "elsewhere"));
    CHECK(has(part(book, "xl/styles.xml", arena), "formatCode=\"#,##0\\ \""));
    arena_release(arena);
}

static void long_texts_are_cut_with_a_mark(void)
{
    Arena *arena = arena_new();
    char *long_text = arena_alloc(arena, 40001);
    memset(long_text, 'x', 40000);
    Str cut = xlsx_cut(str_of(long_text), XLSX_TEXT_UNITS, arena);
    CHECK(cut.size == XLSX_TEXT_UNITS - 1 + 3 && str_ends(cut, STR("x…")));
    CHECK_TEXT(xlsx_cut(STR("\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80z"), 5, arena),
               "\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80z");
    CHECK_TEXT(xlsx_cut(STR("\xF0\x9F\x9A\x80\xF0\x9F\x9A\x80z"), 4, arena), "\xF0\x9F\x9A\x80…");
    CHECK_TEXT(xlsx_cut(STR("层层层"), 3, arena), "层层层");
    static const Column columns[] = {{.title = {"a", 1}}};
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "t", columns, 1, arena);
    table_add_row(&table)[0] = cell_text(str_of(long_text));
    Table *list[] = {&table};
    CHECK(has(part(render(list, 1, arena), "xl/worksheets/sheet1.xml", arena), "xx…</t>"));
    arena_release(arena);
}

static void sheet_names_are_short_unique_and_allowed(void)
{
    Arena *arena = arena_new();
    Str taken[] = {STR("COMPARE"), STR("a_very_long_name_for_one_single")};
    CHECK_TEXT(xlsx_sheet_name(STR("Compare"), taken, 2, arena), "Compare (2)");
    CHECK_TEXT(xlsx_sheet_name(STR("a_very_long_name_for_one_single"), taken, 2, arena),
               "a_very_long_name_for_one_s… (2)");
    CHECK_TEXT(xlsx_sheet_name(STR("'a[1]:*?/\\'"), taken, 2, arena), "a_1______");
    CHECK_TEXT(xlsx_sheet_name(STR("''"), taken, 2, arena), "Sheet");
    CHECK_TEXT(xlsx_sheet_name(STR("history"), taken, 2, arena), "history (2)");
    CHECK_TEXT(
        xlsx_sheet_name(STR("三十二个字三十二个字三十二个字三十二个字三十二个字三十二个字一二"),
                        taken, 2, arena),
        "三十二个字三十二个字三十二个字三十二个字三十二个字三十二个字…");
    arena_release(arena);
}

typedef struct Counter {
    uint64_t at, end;
} Counter;

static bool next_number(void *state, Cell *cells)
{
    Counter *counter = state;
    if (counter->at == counter->end)
        return false;
    cells[0] = cell_number((double)counter->at++);
    return true;
}

static void first_number(void *state)
{
    ((Counter *)state)->at = 0;
}

static void rows_beyond_the_limit_go_to_another_sheet(void)
{
    Arena *arena = arena_new();
    static const Column columns[] = {{.title = {"a", 1}}};
    Counter counter = {0, 1048577};
    Table table = {.name = STR("Rows"),
                   .columns = columns,
                   .column_count = 1,
                   .row_count = counter.end,
                   .next = next_number,
                   .rewind = first_number,
                   .state = &counter};
    Table *list[] = {&table};
    Str book = render(list, 1, arena);
    CHECK(has(part(book, "xl/workbook.xml", arena), "<sheet name=\"Rows (2)\""));
    Str second = part(book, "xl/worksheets/sheet2.xml", arena);
    CHECK(has(second, "<row><c><v>1048575</v></c>") && has(second, "<row><c><v>1048576</v>"));
    CHECK(!has(second, "1048577"));
    arena_release(arena);
}

static void a_long_sheet_holds_every_row(void)
{
    Arena *arena = arena_new();
    Table table;
    TableRows rows;
    static const Column columns[] = {{.title = {"a", 1}}, {.title = {"b", 1}}};
    table_init_rows(&table, &rows, "t", columns, 2, arena);
    table.note = STR("the end");
    for (int i = 0; i < 30000; i++) {
        Cell *cells = table_add_row(&table);
        cells[0] = cell_number(i / 7.0);
        cells[1] = cell_text(str_printf(arena, "row %d & more", i * 31 % 977));
    }
    Table *list[] = {&table};
    Str book = render(list, 1, arena);
    Str sheet = part(book, "xl/worksheets/sheet1.xml", arena);
    CHECK(sheet.size > 1000000 && has(sheet, "<c t=\"inlineStr\"><is><t>row 842 &amp;"));
    CHECK(has(sheet, "</v></c></row></sheetData>"));
    CHECK(has(part(book, "xl/sharedStrings.xml", arena), "<si><t>the end</t></si></sst>"));
    arena_release(arena);
}

static void texts_that_repeat_in_a_long_sheet_are_shared_and_read_as_before(void)
{
    enum { ROWS = 5000, SHEETS = 2 };
    static const char *const words[] = {"pass", " a & <b>", "相同"};
    static const Column columns[] = {{.title = {"name", 4}}, {.title = {"status", 6}}};
    Arena *arena = arena_new();
    Table tables[SHEETS], *list[SHEETS];
    TableRows rows[SHEETS];
    for (size_t t = 0; t < SHEETS; t++) {
        list[t] = &tables[t];
        table_init_rows(list[t], &rows[t], "Compare", columns, 2, arena);
        for (size_t i = 0; i < ROWS; i++) {
            Cell *cells = table_add_row(list[t]);
            cells[0] = cell_text(str_printf(arena, "op.%zu", i));
            cells[1] = cell_text(str_of(words[i % 3]));
        }
    }
    Error err;
    Str book = render(list, SHEETS, arena);
    Str sheet = part(book, "xl/worksheets/sheet2.xml", arena);
    Str texts = part(book, "xl/sharedStrings.xml", arena);
    CHECK(has(sheet, "<is><t>op.4999</t>") && !has(texts, "op.4999"));
    CHECK(has(texts, "<si><t xml:space=\"preserve\"> a &amp; &lt;b&gt;</t></si>"));
    CHECK(!part_book_refusal(book));
    Xlsx *read = xlsx_open("b.xlsx", book, arena, &err);
    for (size_t t = 0; t < SHEETS; t++) {
        XlsxRow row;
        CHECK(xlsx_sheet_start(read, t, &err) && xlsx_next(read, &row));
        for (size_t i = 0; i < ROWS; i++) {
            CHECK(xlsx_next(read, &row) && row.count == 2);
            CHECK(str_equal(row.cells[0], str_printf(arena, "op.%zu", i)));
            CHECK_TEXT(row.cells[1], words[i % 3]);
        }
    }
    xlsx_close(read);
    CHECK(str_equal(book, render(list, SHEETS, arena)));
    arena_release(arena);
}

static void too_many_columns_are_refused(void)
{
    Arena *arena = arena_new();
    Column *columns = ARENA_ARRAY(arena, Column, 16385);
    Table table;
    TableRows rows;
    table_init_rows(&table, &rows, "t", columns, 16385, arena);
    Table *list[] = {&table};
    Sink *sink = sink_memory(arena);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    CHECK(!xlsx_renderer.write_tables(list, 1, &options, sink, &err));
    CHECK_TEXT(str_of(err.text), "a sheet has at most 16384 columns, this table has 16385");
    sink_discard(sink);
    arena_release(arena);
}

static void a_file_gets_the_workbook_and_nothing_lies_about(void)
{
    Arena *arena = arena_new();
    Table table;
    TableRows rows;
    hostile_table(&table, &rows, arena);
    Table *list[] = {&table};
    char folder[] = "xlsx-test.XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    Error err;
    RenderOptions options = {.theme = demo_theme()};
    char *path = path_join(arena, folder, STR("a.xlsx"));
    Sink *sink = sink_file(path, &err);
    CHECK(xlsx_renderer.write_tables(list, 1, &options, sink, &err) && sink_commit(sink, &err));
    FolderList files = {0};
    CHECK(folder_list(folder, arena, &files, &err) && files.count == 1);
    File file;
    CHECK(file_open(path, &file, &err) && str_equal(file.text, render(list, 1, arena)));
    file_close(&file);
    unlink(path);
    rmdir(folder);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(charts_of_two_tables_have_names_of_their_own);
    CHECK_RUN(cells_are_written_by_their_kind);
    CHECK_RUN(whole_numbers_read_back_exactly_and_others_in_ten_digits);
    CHECK_RUN(hostile_names_are_texts_and_nothing_else);
    CHECK_RUN(a_cell_leads_to_a_sheet_or_to_a_file_next_to_the_workbook);
    CHECK_RUN(long_texts_are_cut_with_a_mark);
    CHECK_RUN(sheet_names_are_short_unique_and_allowed);
    CHECK_RUN(rows_beyond_the_limit_go_to_another_sheet);
    CHECK_RUN(a_long_sheet_holds_every_row);
    CHECK_RUN(texts_that_repeat_in_a_long_sheet_are_shared_and_read_as_before);
    CHECK_RUN(too_many_columns_are_refused);
    CHECK_RUN(a_file_gets_the_workbook_and_nothing_lies_about);
    return CHECK_RESULT;
}
