// SPDX-License-Identifier: Apache-2.0
#include "renderers/xlsx_splice.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "renderers/deflate_text.h"

// Fields of a ZIP container, from the start of their record.
enum {
    LOCAL_BYTES = 30,
    LOCAL_NAME_SIZE = 26,
    LOCAL_EXTRA_SIZE = 28,
    ENTRY_BYTES = 46,
    ENTRY_VERSION = 6,  // from here to its CRC-32 as in the local header
    ENTRY_METHOD = 10,
    ENTRY_CRC = 16,
    ENTRY_PACKED = 20,
    ENTRY_SIZE = 24,
    ENTRY_NAME_SIZE = 28,
    ENTRY_EXTRA_SIZE = 30,
    ENTRY_COMMENT_SIZE = 32,
    ENTRY_OFFSET = 42,
    END_BYTES = 22,
    END_COUNT = 10,
    END_DIRECTORY = 16,
    VERSION_64 = 45,
    DEFLATED = 8,
    DEFLATE_MOST = 1032  // of one byte
};
#define LIMIT_32 UINT64_C(0xffffffff)  // from here on a number stands among the 64-bit ones

// A member as the directory tells of it.
typedef struct Member {
    Str entry, name;
    uint64_t size, packed_size, offset;
    uint32_t crc;
} Member;

typedef struct Splice {
    Str book;
    Sink *out;
    Arena *arena;
    uint64_t written, members;
    StrBuf directory;
} Splice;

static uint64_t number_at(Str bytes, size_t at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = size; i-- > 0;)
        number = number << 8 | (unsigned char)bytes.data[at + i];
    return number;
}

static void add(StrBuf *buf, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++, number >>= 8)
        strbuf_add_char(buf, (char)(number & 0xff));
}

static void put(Splice *splice, Str bytes)
{
    sink_str(splice->out, bytes);
    splice->written += bytes.size;
}

static uint64_t capped(uint64_t number)
{
    return number < LIMIT_32 ? number : LIMIT_32;
}

// The directory entry at *at of the book, and the next one's place.
static bool read_member(Str book, size_t *at, Member *out)
{
    if (book.size - *at < ENTRY_BYTES ||
        !str_starts(str_slice(book, *at, book.size), STR("PK\1\2")))
        return false;
    Str rest = str_slice(book, *at, book.size);
    size_t name = (size_t)number_at(rest, ENTRY_NAME_SIZE, 2);
    size_t size = ENTRY_BYTES + name + (size_t)number_at(rest, ENTRY_EXTRA_SIZE, 2) +
                  (size_t)number_at(rest, ENTRY_COMMENT_SIZE, 2);
    if (size > rest.size)
        return false;
    *out = (Member){.entry = str_slice(rest, 0, size),
                    .name = str_slice(rest, ENTRY_BYTES, ENTRY_BYTES + name),
                    .crc = (uint32_t)number_at(rest, ENTRY_CRC, 4),
                    .packed_size = number_at(rest, ENTRY_PACKED, 4),
                    .size = number_at(rest, ENTRY_SIZE, 4),
                    .offset = number_at(rest, ENTRY_OFFSET, 4)};
    *at += size;
    return true;
}

// Its bytes in the book, and how many of them stand before what is packed.
static bool find_bytes(const Splice *splice, const Member *member, Str *bytes, size_t *head)
{
    Str rest = str_slice(splice->book, (size_t)member->offset, splice->book.size);
    if (rest.size < LOCAL_BYTES || !str_starts(rest, STR("PK\3\4")))
        return false;
    *head = LOCAL_BYTES + (size_t)number_at(rest, LOCAL_NAME_SIZE, 2) +
            (size_t)number_at(rest, LOCAL_EXTRA_SIZE, 2);
    if (member->packed_size > rest.size || *head > rest.size - (size_t)member->packed_size)
        return false;
    *bytes = str_slice(rest, 0, *head + (size_t)member->packed_size);
    return true;
}

// The entry of the directory for a member that stands where the output ends now.
static void add_entry(Splice *splice, const Member *member, uint64_t offset)
{
    StrBuf *to = &splice->directory;
    StrBuf large = strbuf_new(splice->arena);
    const uint64_t numbers[] = {member->size, member->packed_size, offset};
    for (size_t i = 0; i < 3; i++)
        if (numbers[i] >= LIMIT_32)
            add(&large, numbers[i], 8);
    strbuf_add(to, str_slice(member->entry, 0, ENTRY_VERSION));
    add(to, large.size ? VERSION_64 : number_at(member->entry, ENTRY_VERSION, 2), 2);
    strbuf_add(to, str_slice(member->entry, ENTRY_VERSION + 2, ENTRY_CRC));
    add(to, member->crc, 4);
    add(to, capped(member->packed_size), 4);
    add(to, capped(member->size), 4);
    add(to, member->name.size, 2);
    add(to, large.size ? large.size + 4 : 0, 2);
    add(to, 0, 2);  // no comment
    strbuf_add(to, str_slice(member->entry, ENTRY_COMMENT_SIZE + 2, ENTRY_OFFSET));
    add(to, capped(offset), 4);
    strbuf_add(to, member->name);
    if (large.size) {
        add(to, 1, 2);
        add(to, large.size, 2);
        strbuf_add(to, strbuf_str(&large));
    }
    splice->members++;
}

static void put_local(Splice *splice, const Member *member)
{
    StrBuf local = strbuf_new(splice->arena);
    bool large = member->size >= LIMIT_32 || member->packed_size >= LIMIT_32;
    strbuf_add(&local, STR("PK\3\4"));
    add(&local, large ? VERSION_64 : number_at(member->entry, ENTRY_VERSION, 2), 2);
    strbuf_add(&local, str_slice(member->entry, ENTRY_VERSION + 2, ENTRY_CRC));
    add(&local, member->crc, 4);
    add(&local, large ? LIMIT_32 : member->packed_size, 4);
    add(&local, large ? LIMIT_32 : member->size, 4);
    add(&local, member->name.size, 2);
    add(&local, large ? 20 : 0, 2);
    strbuf_add(&local, member->name);
    if (large) {
        add(&local, 1, 2);
        add(&local, 16, 2);
        add(&local, member->size, 8);
        add(&local, member->packed_size, 8);
    }
    put(splice, strbuf_str(&local));
}

// The rows and what follows them, mapped and deflated. Their checksum goes on from *crc.
// False where the file cannot be written or mapped.
static bool pack_rows(const SheetRows *rows, Str tail, uint32_t *crc, Arena *arena, Str *out)
{
    struct stat about;
    bool good = fwrite(tail.data, 1, tail.size, rows->file) == tail.size &&
                fflush(rows->file) == 0 && !ferror(rows->file) &&
                fstat(fileno(rows->file), &about) == 0;
    void *bytes =
        good ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fileno(rows->file), 0)
             : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return false;
    Str text = {bytes, (size_t)about.st_size};
    *crc = deflate_crc(*crc, text);
    *out = deflate_last(text, arena);
    munmap(bytes, text.size);
    return true;
}

// The part's text in two pieces: up to its rows, then the rows and what follows them.
static bool put_sheet(Splice *splice, Member member, Str packed, const SheetRows *rows)
{
    if (member.size / DEFLATE_MOST > packed.size)
        return false;
    Str text = inflate_text(packed, (size_t)member.size, splice->arena), body;
    size_t cut = str_find(text, rows->end, 0);
    if (cut == SIZE_MAX || number_at(member.entry, ENTRY_METHOD, 2) != DEFLATED)
        return false;
    Str head = str_slice(text, 0, cut), stored = deflate_stored(head, splice->arena);
    member.crc = deflate_crc(0, head);
    if (!pack_rows(rows, str_slice(text, cut, text.size), &member.crc, splice->arena, &body))
        return false;
    member.size = text.size + rows->size;
    member.packed_size = stored.size + body.size;
    uint64_t offset = splice->written;
    put_local(splice, &member);
    put(splice, stored);
    put(splice, body);
    add_entry(splice, &member, offset);
    return true;
}

static const SheetRows *rows_of(const SheetRows *rows, Str member)
{
    while (rows && !str_equal(rows->member, member))
        rows = rows->next;
    return rows;
}

static bool put_member(Splice *splice, const Member *member, const SheetRows *rows)
{
    Str bytes;
    size_t head;
    const SheetRows *own = rows_of(rows, member->name);
    if (!find_bytes(splice, member, &bytes, &head))
        return false;
    if (own)
        return put_sheet(splice, *member, str_slice(bytes, head, bytes.size), own);
    add_entry(splice, member, splice->written);
    put(splice, bytes);
    return true;
}

static void put_end(Splice *splice)
{
    uint64_t start = splice->written, size = splice->directory.size;
    StrBuf end = strbuf_new(splice->arena);
    if (start >= LIMIT_32 || size >= LIMIT_32) {
        strbuf_add(&end, STR("PK\6\6"));
        add(&end, 44, 8);
        add(&end, VERSION_64, 2);
        add(&end, VERSION_64, 2);
        add(&end, 0, 8);  // one disk
        add(&end, splice->members, 8);
        add(&end, splice->members, 8);
        add(&end, size, 8);
        add(&end, start, 8);
        strbuf_add(&end, STR("PK\6\7"));
        add(&end, 0, 4);
        add(&end, start + size, 8);
        add(&end, 1, 4);
    }
    strbuf_add(&end, STR("PK\5\6"));
    add(&end, 0, 4);
    add(&end, splice->members, 2);
    add(&end, splice->members, 2);
    add(&end, capped(size), 4);
    add(&end, capped(start), 4);
    add(&end, 0, 2);
    put(splice, strbuf_str(&splice->directory));
    put(splice, strbuf_str(&end));
}

bool xlsx_splice(Str book, const SheetRows *rows, Sink *out)
{
    size_t end = book.size - END_BYTES;  // no comment follows
    if (book.size < END_BYTES || !str_starts(str_slice(book, end, book.size), STR("PK\5\6")))
        return false;
    Splice splice = {.book = book, .out = out, .arena = arena_new()};
    splice.directory = strbuf_new(splice.arena);
    size_t count = (size_t)number_at(book, end + END_COUNT, 2);
    size_t at = (size_t)number_at(book, end + END_DIRECTORY, 4);
    bool good = at <= book.size;
    for (size_t i = 0; good && i < count; i++) {
        Member member;
        good = read_member(book, &at, &member) && put_member(&splice, &member, rows);
    }
    if (good)
        put_end(&splice);
    arena_release(splice.arena);
    return good;
}
