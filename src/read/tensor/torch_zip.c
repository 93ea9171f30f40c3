// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/words.h"
#include "read/tensor/little_endian.h"

enum {
    MEMBERS_MAX = 65536,
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    COMMENT_MAX = 65535,
    FLAG_ENCRYPTED = 1,
    FLAG_SIZES_LATER = 8,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8
};

typedef struct Archive {
    const char *path;
    const unsigned char *bytes;
    uint64_t size;
    uint64_t directory, directory_size, count;
    uint64_t end;   // where the records at the end begin
    bool deflated;  // members may be
    Error *err;
} Archive;

static bool has(const unsigned char *at, const char *signature)
{
    return memcmp(at, signature, 4) == 0;
}

static bool broken(const Archive *zip, uint64_t at, const char *why)
{
    return error_set(zip->err, ERR_INPUT, WHERE_BYTE(zip->path, at),
                     tr("the ZIP container is broken: %s"), why);
}

static bool member_bad(const Archive *zip, const ZipMember *member, const char *why, Arena *arena)
{
    Str shown = utf8_display(str_slice(member->name, 0, 200), arena);
    return error_set(zip->err, ERR_INPUT, WHERE_BYTE(zip->path, member->start),
                     tr("refused ZIP member '%.*s': %s"), STR_ARG(shown), why);
}

bool torch_zip_is(Str bytes)
{
    return str_starts(bytes, STR("PK\x03\x04")) || str_starts(bytes, STR("PK\x05\x06"));
}

// The record at the end, with its comment, closes the file exactly.
static bool find_end(const Archive *zip, uint64_t *out)
{
    if (zip->size < END_SIZE)
        return broken(zip, zip->size, tr("the directory at its end is missing (cut short?)"));
    uint64_t lowest = zip->size > END_SIZE + COMMENT_MAX ? zip->size - END_SIZE - COMMENT_MAX : 0;
    for (uint64_t at = zip->size - END_SIZE + 1; at-- > lowest;)
        if (has(zip->bytes + at, "PK\x05\x06") &&
            le16(zip->bytes + at + 20) == zip->size - at - END_SIZE) {
            *out = at;
            return true;
        }
    return broken(zip, zip->size, tr("the directory at its end is missing (cut short?)"));
}

static bool use_end64(Archive *zip, uint64_t locator)
{
    uint64_t at = le64(zip->bytes + locator + 8);
    if (at > locator || locator - at < END64_SIZE || !has(zip->bytes + at, "PK\x06\x06"))
        return broken(zip, locator, tr("the 64-bit directory record is missing"));
    const unsigned char *record = zip->bytes + at;
    if (le32(record + 16) != 0 || le32(record + 20) != 0 || le64(record + 24) != le64(record + 32))
        return broken(zip, at, tr("it is split over several discs"));
    zip->count = le64(record + 32);
    zip->directory_size = le64(record + 40);
    zip->directory = le64(record + 48);
    zip->end = at;
    return true;
}

static bool read_end(Archive *zip)
{
    uint64_t end = 0;
    if (!find_end(zip, &end))
        return false;
    const unsigned char *record = zip->bytes + end;
    if (le16(record + 4) != 0 || le16(record + 6) != 0 || le16(record + 8) != le16(record + 10))
        return broken(zip, end, tr("it is split over several discs"));
    zip->count = le16(record + 10);
    zip->directory_size = le32(record + 12);
    zip->directory = le32(record + 16);
    zip->end = end;
    if (end >= LOCATOR_SIZE && has(zip->bytes + end - LOCATOR_SIZE, "PK\x06\x07") &&
        !use_end64(zip, end - LOCATOR_SIZE))
        return false;
    if (zip->directory > zip->end || zip->directory_size > zip->end - zip->directory)
        return broken(zip, end, tr("the directory is outside the file"));
    if (zip->count > MEMBERS_MAX || zip->count > zip->directory_size / CENTRAL_SIZE)
        return broken(zip, end, tr("more members than the directory or the limit holds"));
    return true;
}

// A size or offset of 0xffffffff is in the 64-bit field instead, in order of appearance.
typedef struct Wide {
    uint64_t stored, packed, start;
} Wide;

static bool read_wide(const unsigned char *extra, size_t size, Wide *wide)
{
    uint64_t *fields[3] = {&wide->stored, &wide->packed, &wide->start};
    size_t at = 0;
    while (size - at >= 4) {
        size_t length = le16(extra + at + 2);
        if (length > size - at - 4)
            return false;
        const unsigned char *value = extra + at + 4;
        for (int i = 0; le16(extra + at) == 1 && i < 3; i++)
            if (*fields[i] == UINT32_MAX) {
                if (length < 8)
                    return false;
                *fields[i] = le64(value);
                value += 8;
                length -= 8;
            }
        at += 4u + le16(extra + at + 2);
    }
    return true;
}

// Name and place of the data, from the local header; its sizes may be 0 or, where given, must
// agree.
static bool use_local(const Archive *zip, const Wide *wide, ZipMember *member, Arena *arena)
{
    if (wide->start > zip->directory || zip->directory - wide->start < LOCAL_SIZE ||
        !has(zip->bytes + wide->start, "PK\x03\x04"))
        return member_bad(zip, member, tr("its header is missing"), arena);
    const unsigned char *local = zip->bytes + wide->start;
    uint64_t name_size = le16(local + 26);
    uint64_t data = wide->start + LOCAL_SIZE + name_size + le16(local + 28);
    if (data > zip->directory || zip->directory - data < wide->packed)
        return member_bad(zip, member, tr("it reaches past the end of the data"), arena);
    Str name = {(const char *)local + LOCAL_SIZE, name_size};
    uint32_t size = le32(local + 22);
    bool later = (le16(local + 6) & FLAG_SIZES_LATER) != 0;
    if (!str_equal(name, member->name) ||
        le16(local + 8) != (member->deflated ? METHOD_DEFLATED : METHOD_STORED) ||
        (!later && size != UINT32_MAX && size != wide->stored))
        return member_bad(zip, member, tr("its two headers contradict each other"), arena);
    member->bytes = (Str){(const char *)zip->bytes + data, wide->packed};
    return true;
}

static bool read_member(const Archive *zip, uint64_t *at, ZipMember *out, Arena *arena)
{
    uint64_t left = zip->directory + zip->directory_size - *at;
    const unsigned char *entry = zip->bytes + *at;
    if (left < CENTRAL_SIZE || !has(entry, "PK\x01\x02"))
        return broken(zip, *at, tr("expected an entry of the directory"));
    uint64_t name = le16(entry + 28), extra = le16(entry + 30), comment = le16(entry + 32);
    if (left - CENTRAL_SIZE < name + extra + comment)
        return broken(zip, *at, tr("an entry reaches past the directory"));
    *out = (ZipMember){.name = {(const char *)entry + CENTRAL_SIZE, name}, .crc = le32(entry + 16)};
    Wide wide = {.packed = le32(entry + 20), .stored = le32(entry + 24), .start = le32(entry + 42)};
    if (!read_wide(entry + CENTRAL_SIZE + name, extra, &wide))
        return broken(zip, *at, tr("a 64-bit size is missing"));
    out->start = wide.start;
    *at += CENTRAL_SIZE + name + extra + comment;
    if (le16(entry + 8) & FLAG_ENCRYPTED)
        return member_bad(zip, out, tr("it is encrypted"), arena);
    out->deflated = zip->deflated && le16(entry + 10) == METHOD_DEFLATED;
    out->size = wide.stored;
    if (!out->deflated && (le16(entry + 10) != METHOD_STORED || wide.packed != wide.stored))
        return member_bad(zip, out, tr("it is compressed; torch stores its members"), arena);
    return use_local(zip, &wide, out, arena);
}

static int by_start(const void *a, const void *b)
{
    const ZipMember *one = a, *two = b;
    return (one->start > two->start) - (one->start < two->start);
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const ZipMember *)a)->name, ((const ZipMember *)b)->name);
}

static bool check_overlap(const Archive *zip, const ZipMembers *members, Arena *arena)
{
    qsort(members->items, members->count, sizeof(ZipMember), by_start);
    for (size_t i = 1; i < members->count; i++) {
        const ZipMember *before = &members->items[i - 1];
        const char *end = before->bytes.data + before->bytes.size;
        if (end > (const char *)zip->bytes + members->items[i].start)
            return member_bad(zip, &members->items[i], tr("it overlaps another member"), arena);
    }
    return true;
}

static bool check_names(const Archive *zip, const ZipMembers *members, Arena *arena)
{
    qsort(members->items, members->count, sizeof(ZipMember), by_name);
    for (size_t i = 1; i < members->count; i++)
        if (str_equal(members->items[i - 1].name, members->items[i].name))
            return member_bad(zip, &members->items[i], tr("two members have this name"), arena);
    return true;
}

static bool read_members(Archive *zip, Arena *arena, ZipMembers *out)
{
    *out = (ZipMembers){0};
    if (!read_end(zip))
        return false;
    out->items = ARENA_ARRAY(arena, ZipMember, zip->count);
    uint64_t at = zip->directory;
    for (; out->count < zip->count; out->count++)
        if (!read_member(zip, &at, &out->items[out->count], arena))
            return false;
    return check_overlap(zip, out, arena) && check_names(zip, out, arena);
}

bool torch_zip_read(const char *path, Str bytes, Arena *arena, ZipMembers *out, Error *err)
{
    Archive zip = {
        .path = path, .bytes = (const unsigned char *)bytes.data, .size = bytes.size, .err = err};
    return read_members(&zip, arena, out);
}

bool torch_zip_read_packed(const char *path, Str bytes, Arena *arena, ZipMembers *out, Error *err)
{
    Archive zip = {.path = path,
                   .bytes = (const unsigned char *)bytes.data,
                   .size = bytes.size,
                   .deflated = true,
                   .err = err};
    return read_members(&zip, arena, out);
}

const ZipMember *torch_zip_find(const ZipMembers *members, Str name)
{
    ZipMember wanted = {.name = name};
    return members->count ? bsearch(&wanted, members->items, members->count, sizeof wanted, by_name)
                          : NULL;
}
