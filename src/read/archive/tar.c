// SPDX-License-Identifier: Apache-2.0
#include "read/archive/tar.h"

#include "base/words.h"

// Fields of a header (POSIX.1, pax, "ustar Interchange Format").
enum {
    NAME_SIZE = 100,
    SIZE_AT = 124,
    SIZE_SIZE = 12,
    SUM_AT = 148,
    SUM_SIZE = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX_SIZE = 155
};

typedef struct Tar {
    Str bytes;
    size_t at;
    Archive *archive;
    Notices *notices;
    // Of the next member, from headers before its own.
    Str name;
    bool named, sized, sparse;
    uint64_t size;
} Tar;

static Str field(Str header, size_t at, size_t size)
{
    Str text = str_slice(header, at, at + size);
    return str_slice(text, 0, str_find_char(text, '\0', 0));
}

static bool octal(Str text, uint64_t *out)
{
    *out = 0;
    text = str_trim(text);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '7' || *out >> 60)
            return false;
        *out = *out << 3 | (uint64_t)(text.data[i] - '0');
    }
    return true;
}

// GNU writes sizes from 8 GiB on as a number of 11 bytes after 0x80.
static bool size_of(Str header, uint64_t *out)
{
    const unsigned char *at = (const unsigned char *)header.data + SIZE_AT;
    if (at[0] != 0x80)
        return octal(field(header, SIZE_AT, SIZE_SIZE), out);
    *out = 0;
    for (int i = 1; i < SIZE_SIZE; i++) {
        if (*out >> 55)
            return false;
        *out = *out << 8 | at[i];
    }
    return true;
}

// The sum of all bytes, its own field as blanks.
static bool is_header(Str header)
{
    uint64_t told, sum = 0;
    for (size_t i = 0; i < header.size; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_SIZE ? ' ' : (unsigned char)header.data[i];
    return header.size == TAR_BLOCK && octal(field(header, SUM_AT, SUM_SIZE), &told) &&
           told == sum && header.data[0];
}

bool tar_is(Str bytes)
{
    return is_header(str_slice(bytes, 0, TAR_BLOCK));
}

static bool is_zero(Str block)
{
    for (size_t i = 0; i < block.size; i++)
        if (block.data[i])
            return false;
    return true;
}

static Str name_of(const Tar *tar, Str header)
{
    Str name = field(header, 0, NAME_SIZE), prefix = field(header, PREFIX_AT, PREFIX_SIZE);
    if (tar->named)
        return tar->name;
    bool posix = str_equal(str_slice(header, MAGIC_AT, MAGIC_AT + 6), STR("ustar\0"));
    if (!posix || prefix.size == 0)
        return name;
    return str_printf(tar->archive->arena, STR_FMT "/" STR_FMT, STR_ARG(prefix), STR_ARG(name));
}

// "27 path=a/very/long/name\n", one record after the other.
static void take_records(Tar *tar, Str text)
{
    while (text.size) {
        size_t blank = str_find_char(text, ' ', 0);
        int64_t size;
        if (blank == SIZE_MAX || !str_to_int64(str_slice(text, 0, blank), &size) ||
            size <= (int64_t)blank + 1 || (uint64_t)size > text.size)
            return;
        Str record = str_slice(text, blank + 1, (size_t)size - 1);
        size_t equals = str_find_char(record, '=', 0);
        Str key = str_slice(record, 0, equals);
        Str value = str_slice(record, equals == SIZE_MAX ? record.size : equals + 1, record.size);
        if (str_equal(key, STR("path"))) {
            tar->name = value;
            tar->named = true;
        } else if (str_equal(key, STR("size"))) {
            tar->sized = str_to_uint64(value, &tar->size);
        } else if (str_starts(key, STR("GNU.sparse."))) {
            tar->sparse = true;
        }
        text = str_slice(text, (size_t)size, text.size);
    }
}

static void take_long_name(Tar *tar, Str text)
{
    tar->name = str_slice(text, 0, str_find_char(text, '\0', 0));
    tar->named = true;
}

// One member that is no header of another.
static void take_member(Tar *tar, Str header, Str content)
{
    Archive *archive = tar->archive;
    Str name = name_of(tar, header);
    char type = header.data[TYPE_AT];
    bool file = type == '\0' || type == '0' || type == '7';
    if (type == 'V')  // the label of the volume
        return;
    if (type == '1' || type == '2')
        archive_refuse(archive, ARCHIVE_LINK, name);
    else if (type == '3' || type == '4' || type == '6')
        archive_refuse(archive, ARCHIVE_DEVICE, name);
    else if ((!file && type != '5') || tar->sparse)
        archive_refuse(archive, ARCHIVE_FORM, name);
    else
        archive_add(archive, name, type == '5' || str_ends(name, STR("/")), content);
}

static bool has_content(char type)
{
    return type < '1' || type > '6';
}

static void note_broken(const Tar *tar, const char *text)
{
    notices_partial(tar->notices, WHERE_FILE(tar->archive->path), "%s", text);
}

// A header with what belongs to it.
static bool take_next(Tar *tar)
{
    Str header = str_slice(tar->bytes, tar->at, tar->at + TAR_BLOCK);
    uint64_t size = 0;
    if (!is_header(header) || !size_of(header, &size)) {
        note_broken(tar, tr("the archive is damaged or breaks off; what comes before is used"));
        return false;
    }
    char type = header.data[TYPE_AT];
    if (tar->sized)
        size = tar->size;
    if (!has_content(type))
        size = 0;
    size_t begin = tar->at + TAR_BLOCK, left = tar->bytes.size - begin;
    if (size > left)
        note_broken(tar, tr("the archive breaks off in its last file"));
    size_t held = size < left ? (size_t)size : left;
    size_t padded = (held + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    Str content = str_slice(tar->bytes, begin, begin + held);
    tar->at = begin + (padded < left ? padded : left);
    if (type == 'x') {
        take_records(tar, content);
    } else if (type == 'L') {
        take_long_name(tar, content);
    } else if (type != 'K' && type != 'g') {
        take_member(tar, header, content);
        tar->named = tar->sized = tar->sparse = false;
    }
    return size <= left;
}

// Another archive may be written after the end of the first.
static bool is_end(const Tar *tar)
{
    return is_zero(str_slice(tar->bytes, tar->at, tar->at + TAR_BLOCK));
}

void tar_read(Str bytes, Archive *archive, Notices *notices)
{
    Tar tar = {.bytes = bytes, .archive = archive, .notices = notices};
    while (tar.at < bytes.size && !is_end(&tar))
        if (!take_next(&tar))
            return;
    if (tar.at >= bytes.size)
        note_broken(&tar, tr("the archive has no end mark: it may break off"));
    else if (!is_zero(str_slice(bytes, tar.at, bytes.size)))
        note_broken(&tar, tr("what follows the end of the archive is not read"));
}
