// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_splice.h"

#include <zip.h>

#include "check.h"

#define SHEET "xl/worksheets/sheet2.xml"

static void add_member(zip_t *zip, const char *name, const char *text)
{
    zip_source_t *source = zip_source_buffer(zip, text, strlen(text), 0);
    zip_int64_t index = zip_file_add(zip, name, source, 0);
    CHECK(index >= 0);
    zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 0);
    zip_file_set_mtime(zip, (zip_uint64_t)index, 315619200, 0);
}

static Str small_book(const char *sheet, Arena *arena)
{
    zip_error_t error;
    zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_source_keep(source);
    zip_t *zip = zip_open_from_source(source, ZIP_TRUNCATE, &error);
    CHECK(zip != NULL);
    add_member(zip, "[Content_Types].xml", "<Types/>");
    add_member(zip, SHEET, sheet);
    add_member(zip, "docProps/app.xml", "<Properties/>");
    CHECK(zip_close(zip) == 0);
    zip_stat_t about;
    CHECK(zip_source_stat(source, &about) == 0 && zip_source_open(source) == 0);
    char *bytes = arena_alloc(arena, about.size);
    CHECK(zip_source_read(source, bytes, about.size) == (zip_int64_t)about.size);
    zip_source_close(source);
    zip_source_free(source);
    return (Str){bytes, about.size};
}

static bool splice(Str book, const SheetRows *rows, Str *out, Arena *arena)
{
    Error err;
    Sink *sink = sink_memory(arena);
    bool good = xlsx_splice(book, rows, sink);
    *out = sink_bytes(sink);
    CHECK(sink_commit(sink, &err));
    return good;
}

static SheetRows rows_of_text(const char *text)
{
    SheetRows rows = {
        .member = STR(SHEET), .end = STR("</sheetData>"), .file = tmpfile(), .size = strlen(text)};
    CHECK(rows.file && fputs(text, rows.file) >= 0);
    return rows;
}

static zip_t *open_book(Str book)
{
    zip_error_t error;
    zip_source_t *source = zip_source_buffer_create(book.data, book.size, 0, &error);
    zip_t *zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    CHECK(zip != NULL);
    return zip;
}

static void check_member(zip_t *zip, zip_uint64_t index, const char *name, const char *text)
{
    char buffer[200] = "";
    zip_stat_t about;
    CHECK(zip_stat_index(zip, index, 0, &about) == 0 && strcmp(about.name, name) == 0);
    CHECK(about.size == strlen(text) && about.mtime == 315619200);
    zip_file_t *file = zip_fopen_index(zip, index, 0);
    CHECK(file && zip_fread(file, buffer, sizeof buffer) == (zip_int64_t)about.size);
    CHECK(zip_fread(file, buffer, 1) == 0);  // and its CRC-32 is right
    CHECK_TEXT(str_of(buffer), text);
    zip_fclose(file);
}

static void rows_stand_in_their_sheet_and_all_else_as_it_was(void)
{
    Arena *arena = arena_new();
    Str out, book = small_book("<a><sheetData></sheetData><b/></a>", arena);
    SheetRows rows = rows_of_text("<row r=\"1\"></row>");
    CHECK(splice(book, &rows, &out, arena));
    zip_t *zip = open_book(out);
    CHECK(zip_get_num_entries(zip, 0) == 3);
    check_member(zip, 0, "[Content_Types].xml", "<Types/>");
    check_member(zip, 1, SHEET, "<a><sheetData><row r=\"1\"></row></sheetData><b/></a>");
    check_member(zip, 2, "docProps/app.xml", "<Properties/>");
    zip_discard(zip);
    fclose(rows.file);
    arena_release(arena);
}

static void sizes_beyond_32_bits_are_told_in_64(void)
{
    Arena *arena = arena_new();
    Str out, book = small_book("<a><sheetData></sheetData></a>", arena);
    SheetRows rows = rows_of_text("<row/>");
    rows.size += UINT64_C(5) << 32;
    CHECK(splice(book, &rows, &out, arena));
    zip_t *zip = open_book(out);
    zip_stat_t about;
    CHECK(zip_stat(zip, SHEET, 0, &about) == 0);
    CHECK(about.size == (UINT64_C(5) << 32) + 36);
    check_member(zip, 2, "docProps/app.xml", "<Properties/>");
    zip_discard(zip);
    fclose(rows.file);
    arena_release(arena);
}

static void what_is_no_such_book_is_refused(void)
{
    Arena *arena = arena_new();
    Str out, book = small_book("<a><sheetData></sheetData></a>", arena);
    SheetRows rows = rows_of_text("<row/>");
    for (size_t size = 0; size < book.size; size++) {
        CHECK(!splice(str_slice(book, 0, size), &rows, &out, arena));
        Str damaged = str_copy(arena, book);
        ((char *)damaged.data)[size] ^= 0x55;
        splice(damaged, &rows, &out, arena);  // whatever it says, it reads nothing beyond
    }
    CHECK(!splice(small_book("<a><sheetData/></a>", arena), &rows, &out, arena));
    fclose(rows.file);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(rows_stand_in_their_sheet_and_all_else_as_it_was);
    CHECK_RUN(sizes_beyond_32_bits_are_told_in_64);
    CHECK_RUN(what_is_no_such_book_is_refused);
    return CHECK_RESULT;
}
