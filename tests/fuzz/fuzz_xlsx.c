// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <zlib.h>

#include "fuzz_input.h"
#include "read/table/xlsx_file.h"

// Any bytes as a workbook; where they are no container, their parts between bytes 0xFF are the
// sheet, the shared texts, the workbook and its relations (the last two have a usable default).

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char default_book[] =
    "<workbook xmlns:r='r'><sheets><sheet name='a' r:id='s'/></sheets></workbook>";
static const char default_links[] =
    "<Relationships><Relationship Id='s' Type='/worksheet' Target='s.xml'/>"
    "<Relationship Id='t' Type='/sharedStrings' Target='t.xml'/></Relationships>";

static void put(StrBuf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(out, (char)(i < 8 ? value >> (8 * i) : 0));
}

typedef struct Member {
    const char *name;
    Str bytes;
    size_t start;
} Member;

// What the record of a member has from its flags to its name's length.
static void put_about(StrBuf *out, const Member *member)
{
    put(out, 0, 8);
    put(out, crc32(0, (const Bytef *)member->bytes.data, (uInt)member->bytes.size), 4);
    put(out, member->bytes.size, 4);
    put(out, member->bytes.size, 4);
    put(out, strlen(member->name), 2);
}

// A container in which nothing is compressed.
static Str pack(Member *members, size_t count, Arena *arena)
{
    StrBuf out;
    out = strbuf_new(arena);
    for (size_t i = 0; i < count; i++) {
        members[i].start = out.size;
        strbuf_add(&out, STR("PK\3\4\12\0"));
        put_about(&out, &members[i]);
        put(&out, 0, 2);
        strbuf_add(&out, str_of(members[i].name));
        strbuf_add(&out, members[i].bytes);
    }
    size_t directory = out.size;
    for (size_t i = 0; i < count; i++) {
        strbuf_add(&out, STR("PK\1\2\12\0\12\0"));
        put_about(&out, &members[i]);
        put(&out, 0, 12);
        put(&out, members[i].start, 4);
        strbuf_add(&out, str_of(members[i].name));
    }
    size_t end = out.size;
    strbuf_add(&out, STR("PK\5\6\0\0\0\0"));
    put(&out, count, 2);
    put(&out, count, 2);
    put(&out, end - directory, 4);
    put(&out, directory, 4);
    put(&out, 0, 2);
    return strbuf_str(&out);
}

static void read_book(Str bytes, Arena *arena)
{
    Error err;
    Xlsx *book = xlsx_open("book.xlsx", bytes, arena, &err);
    for (size_t i = 0; book && i < xlsx_sheet_count(book); i++) {
        XlsxRow row;
        if (!xlsx_sheet_start(book, i, &err))
            continue;
        while (xlsx_next(book, &row)) {
            demand(row.count <= XLSX_CELLS_MAX);
            for (size_t j = 0; j < row.count; j++)
                demand(row.cells[j].size <= XLSX_CELL_BYTES_MAX);
        }
        demand(!xlsx_next(book, &row));
    }
    if (book)
        xlsx_close(book);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size), rest = text;
    if (xlsx_is(text)) {
        read_book(text, arena);
    } else {
        Member members[] = {{"xl/s.xml", fuzz_part(&rest), 0},
                            {"xl/t.xml", fuzz_part(&rest), 0},
                            {"xl/workbook.xml", fuzz_part(&rest), 0},
                            {"xl/_rels/workbook.xml.rels", fuzz_part(&rest), 0}};
        if (members[2].bytes.size == 0)
            members[2].bytes = str_of(default_book);
        if (members[3].bytes.size == 0)
            members[3].bytes = str_of(default_links);
        read_book(pack(members, 4, arena), arena);
    }
    free((char *)text.data);
    arena_release(arena);
    return 0;
}
