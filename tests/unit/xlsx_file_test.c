// SPDX-License-Identifier: Apache-2.0
#include "read/table/xlsx_file.h"

#include "base/file.h"
#include "check.h"
#include "demo.h"
#include "renderers/xlsx.h"
#include "temporary.h"

static Arena *arena;
static Error err;
static File file;
static Xlsx *book;
static XlsxRow row;

static bool opens(const char *path)
{
    if (!file_open(path, &file, &err))
        return false;
    book = xlsx_open(path, file.text, arena, &err);
    return book != NULL;
}

static void closes(void)
{
    xlsx_close(book);
    file_close(&file);
}

// Two sheets, the second with a gap.
static void check_book(const char *path)
{
    CHECK(opens(path) && xlsx_sheet_count(book) == 2);
    CHECK(xlsx_sheet_start(book, 0, &err) && xlsx_next(book, &row) && row.count == 2);
    CHECK_TEXT(row.cells[0], "NPU Name");
    CHECK_TEXT(row.cells[1], "a<b>&\"c\" 模块");
    CHECK(xlsx_next(book, &row) && row.count >= 5);
    CHECK_TEXT(row.cells[0], "0.1");
    CHECK_TEXT(row.cells[1], "-1E-300");
    CHECK_TEXT(row.cells[2], "True");
    CHECK_TEXT(row.cells[3], "False");
    CHECK_TEXT(row.cells[4], "");
    CHECK_TEXT(row.cells[5], "1x");
    CHECK(!xlsx_next(book, &row) && !xlsx_failed(book));
    CHECK(!xlsx_next(book, &row));
    CHECK(xlsx_sheet_start(book, 1, &err) && xlsx_next(book, &row) && row.count == 28);
    CHECK_TEXT(row.cells[27], "AB5");
    CHECK(row.cells[0].size == 0 && row.cells[26].size == 0);
    // A sheet can be read again, and left in the middle.
    CHECK(xlsx_sheet_start(book, 0, &err) && xlsx_next(book, &row) && row.count == 2);
    closes();
}

// The same book with texts in a part of their own, and in the cells.
static void sheets_of_libxlsxwriter_are_read(void)
{
    check_book(TEST_SOURCE_DIR "/tests/data/libxlsxwriter/shared.xlsx");
    check_book(TEST_SOURCE_DIR "/tests/data/libxlsxwriter/inline.xlsx");
}

enum { ROWS = 20000 };

static bool next_row(void *state, Cell *cells)
{
    uint32_t *at = state;
    if (*at == ROWS)
        return false;
    cells[0] = cell_number(*at);
    cells[1] = cell_text(*at % 2 ? STR("odd") : STR("even"));
    ++*at;
    return true;
}

static void first_row(void *state)
{
    *(uint32_t *)state = 0;
}

static const char *write_long(void)
{
    static const Column columns[] = {{.title = {"a", 1}}, {.title = {"b", 1}}};
    const char *path = temporary_file("long.xlsx", "", 0);
    uint32_t at = 0;
    Table table = {.columns = columns,
                   .column_count = 2,
                   .row_count = ROWS,
                   .next = next_row,
                   .rewind = first_row,
                   .state = &at};
    Table *list[] = {&table};
    RenderOptions options = {.theme = demo_theme()};
    Sink *sink = sink_file(path, &err);
    CHECK(xlsx_renderer.write_tables(list, 1, &options, sink, &err) && sink_commit(sink, &err));
    return path;
}

static void a_sheet_of_many_pieces_has_all_its_rows_in_constant_memory(void)
{
    const char *path = write_long();
    CHECK(opens(path) && xlsx_sheet_start(book, 0, &err) && xlsx_next(book, &row));
    size_t before = arena_bytes(arena), count = 0;
    for (; xlsx_next(book, &row); count++) {
        int64_t number;
        CHECK(row.count == 2 && str_to_int64(row.cells[0], &number) && number == (int64_t)count);
        CHECK_TEXT(row.cells[1], count % 2 ? "odd" : "even");
    }
    CHECK(count == ROWS && !xlsx_failed(book));
    CHECK(arena_bytes(arena) == before);
    closes();
}

static void what_is_no_workbook_is_refused(void)
{
    CHECK(!opens(temporary_file("no.xlsx", "PK\x03\x04 and nothing more", 22)));
    CHECK(strstr(err.text, "the workbook is not readable"));
    file_close(&file);
    CHECK(!xlsx_is(STR("NPU Name,x\n")));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(sheets_of_libxlsxwriter_are_read);
    CHECK_RUN(a_sheet_of_many_pieces_has_all_its_rows_in_constant_memory);
    CHECK_RUN(what_is_no_workbook_is_refused);
    arena_release(arena);
    return CHECK_RESULT;
}
