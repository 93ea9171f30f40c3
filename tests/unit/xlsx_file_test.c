// SPDX-License-Identifier: Apache-2.0
#include "read/table/xlsx_file.h"

#include <xlsxwriter.h>

#include "base/file.h"
#include "check.h"
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

// Two sheets, the second with a gap; `constant`: texts are written into the cells.
static void write_book(const char *path, bool constant)
{
    lxw_workbook_options options = {.constant_memory = constant};
    lxw_workbook *out = workbook_new_opt(path, &options);
    lxw_worksheet *first = workbook_add_worksheet(out, "one & <two>");
    lxw_worksheet *second = workbook_add_worksheet(out, NULL);
    worksheet_write_string(first, 0, 0, "NPU Name", NULL);
    worksheet_write_string(first, 0, 1, "a<b>&\"c\" 模块", NULL);
    worksheet_write_number(first, 1, 0, 0.1, NULL);
    worksheet_write_number(first, 1, 1, -1e-300, NULL);
    worksheet_write_boolean(first, 1, 2, 1, NULL);
    worksheet_write_boolean(first, 1, 3, 0, NULL);
    worksheet_write_string(first, 1, 4, "", NULL);
    worksheet_write_formula_str(first, 1, 5, "=1&\"x\"", NULL, "1x");
    worksheet_write_string(second, 4, 27, "AB5", NULL);
    workbook_close(out);
}

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

static void sheets_of_libxlsxwriter_are_read(void)
{
    const char *path = temporary_file("shared.xlsx", "", 0);
    write_book(path, false);
    check_book(path);
    write_book(path, true);
    check_book(path);
}

static void a_sheet_of_many_pieces_has_all_its_rows_in_constant_memory(void)
{
    const char *path = temporary_file("long.xlsx", "", 0);
    lxw_workbook *out = workbook_new(path);
    lxw_worksheet *sheet = workbook_add_worksheet(out, NULL);
    enum { ROWS = 20000 };
    for (uint32_t i = 0; i < ROWS; i++) {
        worksheet_write_number(sheet, i, 0, i, NULL);
        worksheet_write_string(sheet, i, 1, i % 2 ? "odd" : "even", NULL);
    }
    workbook_close(out);
    CHECK(opens(path) && xlsx_sheet_start(book, 0, &err));
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
