// SPDX-License-Identifier: Apache-2.0
#include "read/dump/construct.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/json/json_scan.h"

typedef struct Reader {
    Construct *construct;
    ScanFile file;
    Names *names;
    Arena *arena, *scratch;
    StrBuf decoded;
    size_t capacity;
    uint32_t *entry_of_name;  // index + 1
    size_t entry_of_name_count;
} Reader;

// The name that a string holds; "" gives NAME_NONE. False: a bad escape.
static bool name_of(Reader *reader, ScanString string, NameId *out)
{
    Str text;
    if (!scan_text(string, &reader->decoded, &text))
        return false;
    *out = text.size ? names_add(reader->names, text) : NAME_NONE;
    return true;
}

// A parent: a string or null, at the beginning of `value`. Moves *at after it.
static bool read_parent(Reader *reader, Str value, size_t *at, NameId *parent)
{
    ScanString string;
    *parent = NAME_NONE;
    if (str_equal(str_slice(value, *at, *at + 4), STR("null"))) {
        *at += 4;
        return true;
    }
    return scan_string(value, at, &string) == SCAN_OK && name_of(reader, string, parent);
}

// [parent, micro step]
static bool read_pair(Reader *reader, Str value, ConstructEntry *entry)
{
    size_t at = scan_space(value, 1);
    int64_t step;
    if (!read_parent(reader, value, &at, &entry->parent))
        return false;
    at = scan_space(value, at);
    if (at >= value.size || value.data[at] != ',')
        return false;
    Str number = str_trim(str_slice(value, at + 1, value.size - 1));
    if (!str_to_int64(number, &step) || step < -1 || step > INT32_MAX)
        return false;
    entry->micro_step = (int32_t)step;
    return true;
}

static bool read_value(Reader *reader, Str value, ConstructEntry *entry)
{
    size_t at = 0;
    entry->micro_step = -1;
    if (value.data[0] == '[')
        return read_pair(reader, value, entry);
    return read_parent(reader, value, &at, &entry->parent) && at == value.size;
}

static void add_entry(Reader *reader, ConstructEntry entry, size_t at)
{
    Construct *construct = reader->construct;
    uint32_t *known = &ARRAY_REACH(reader->scratch, reader->entry_of_name,
                                   reader->entry_of_name_count, entry.child)[entry.child];
    if (*known) {
        construct->entries[*known - 1] = entry;
        notices_add(reader->file.notices, NOTICE_WARNING, scan_where(&reader->file, at), "%s",
                    tr("a node is repeated; the last parent counts, at the place of the first"));
        return;
    }
    *ARRAY_ADD(reader->arena, construct->entries, construct->count, reader->capacity) = entry;
    *known = construct->count;
}

static void read_member(void *context, ScanString key, size_t key_at, size_t from, size_t to)
{
    Reader *reader = context;
    Str value = str_slice(reader->file.text, from, to);
    ConstructEntry entry = {0};
    int64_t number;
    if (str_equal(key.raw, STR("megatron_micro_step_number")) && str_to_int64(value, &number))
        reader->construct->last_micro_step = number;
    else if (name_of(reader, key, &entry.child) && entry.child && read_value(reader, value, &entry))
        add_entry(reader, entry, key_at);
    else
        notices_partial(reader->file.notices, scan_where(&reader->file, key_at), "%s",
                        tr("expected a parent as text, null, or with its micro step; other nodes "
                           "are left out"));
}

static bool read_text(Reader *reader, Str text, Error *err)
{
    ScanFile *file = &reader->file;
    if (str_trim(text).size == 0) {
        notices_add(file->notices, NOTICE_INFO, WHERE_FILE(file->path), "%s", tr("empty file"));
        return true;
    }
    if (!scan_clean(file->path, text, &file->text, file->notices, err))
        return false;
    size_t at = scan_space(file->text, 0);
    if (file->text.data[at] != '{')
        return error_set(err, ERR_INPUT, scan_where(file, at), "%s", tr("expected a JSON object"));
    scan_members(file, at, read_member, reader);
    return true;
}

bool construct_read_text(const char *path, Str text, Names *names, Arena *arena, Construct *out,
                         Notices *notices, Error *err)
{
    *out = (Construct){.last_micro_step = -1};
    Reader reader = {.construct = out,
                     .file = {.path = path, .notices = notices},
                     .names = names,
                     .arena = arena,
                     .scratch = arena_new()};
    reader.decoded = strbuf_new(reader.scratch);
    bool good = read_text(&reader, text, err);
    arena_release(reader.scratch);
    return good;
}

void construct_read(const char *path, Names *names, Arena *arena, Construct *out, Notices *notices)
{
    *out = (Construct){.last_micro_step = -1};
    File file;
    Error err;
    if (file_kind(path) == FILE_NONE)
        return;
    if (!file_open(path, &file, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    if (!construct_read_text(path, file.text, names, arena, out, notices, &err))
        notices_add_error(notices, &err);
    file_close(&file);
}
