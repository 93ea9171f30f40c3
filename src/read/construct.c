// SPDX-License-Identifier: Apache-2.0
#include "read/construct.h"

#include "base/file.h"
#include "base/words.h"
#include "read/json_scan.h"

typedef struct Reader {
    Construct *construct;
    const char *path;
    Names *names;
    Arena *arena, *scratch;
    Notices *notices;
    Str text;
    size_t skipped;
    StrBuf decoded;
    size_t capacity;
    uint32_t *entry_of_name;  // index + 1
    size_t entry_of_name_count;
} Reader;

static Where where(const Reader *reader, size_t at)
{
    return WHERE_BYTE(reader->path, at + reader->skipped);
}

// The name that a string holds; "" gives NAME_NONE. False: a bad escape.
static bool name_of(Reader *reader, ScanString string, NameId *out)
{
    Str text = string.raw;
    if (string.escaped) {
        reader->decoded.size = 0;
        if (!scan_decode(string.raw, &reader->decoded))
            return false;
        text = strbuf_str(&reader->decoded);
    }
    *out = text.size ? names_add(reader->names, text) : NAME_NONE;
    return true;
}

// A parent: a string or null, at the beginning of `value`. Moves *at behind it.
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

static uint32_t *entry_of_name(Reader *reader, NameId name)
{
    if (name >= reader->entry_of_name_count) {
        size_t count = (size_t)name + name / 2 + 64;
        reader->entry_of_name =
            arena_grow(reader->scratch, reader->entry_of_name,
                       reader->entry_of_name_count * sizeof *reader->entry_of_name,
                       count * sizeof *reader->entry_of_name);
        reader->entry_of_name_count = count;
    }
    return &reader->entry_of_name[name];
}

static void add_entry(Reader *reader, ConstructEntry entry, size_t at)
{
    Construct *construct = reader->construct;
    uint32_t *known = entry_of_name(reader, entry.child);
    if (*known) {
        construct->entries[*known - 1] = entry;
        notices_add(reader->notices, NOTICE_WARNING, where(reader, at), "%s",
                    tr("a node is repeated; the last parent counts, at the place of the first"));
        return;
    }
    if (construct->count == reader->capacity) {
        size_t capacity = reader->capacity * 2 + 64;
        construct->entries = arena_grow(reader->arena, construct->entries,
                                        reader->capacity * sizeof *construct->entries,
                                        capacity * sizeof *construct->entries);
        reader->capacity = capacity;
    }
    construct->entries[construct->count++] = entry;
    *known = construct->count;
}

static void read_member(Reader *reader, ScanString key, size_t key_at, Str value)
{
    ConstructEntry entry = {0};
    int64_t number;
    if (str_equal(key.raw, STR("megatron_micro_step_number")) && str_to_int64(value, &number))
        reader->construct->last_micro_step = number;
    else if (name_of(reader, key, &entry.child) && entry.child && read_value(reader, value, &entry))
        add_entry(reader, entry, key_at);
    else
        notices_partial(reader->notices, where(reader, key_at), "%s",
                        tr("expected a parent as text, null, or with its micro step; other nodes "
                           "are left out"));
}

static void break_off(Reader *reader, size_t at, ScanStatus status)
{
    const char *text =
        status == SCAN_CUT
            ? tr("the file breaks off here; its complete entries are used. If the run "
                 "still writes it, try again later, else dump again")
            : tr("the file is no valid JSON from here on; the entries before are used");
    notices_partial(reader->notices, where(reader, at), "%s", text);
}

static void read_members(Reader *reader, size_t at)
{
    ScanObject object;
    ScanString key;
    size_t key_at;
    scan_object_open(&object, reader->text, at);
    while (scan_object_next(&object, &key, &key_at)) {
        size_t from = object.at;
        object.status = scan_value(reader->text, &object.at, 1);
        if (object.status == SCAN_CUT || object.status == SCAN_BAD)
            break;
        read_member(reader, key, key_at, str_slice(reader->text, from, object.at));
    }
    if (object.status == SCAN_CUT || object.status == SCAN_BAD)
        break_off(reader, object.at, object.status);
    else
        scan_trailing(reader->path, reader->text, object.at, reader->skipped, reader->notices);
}

static bool read_text(Reader *reader, Str text, Error *err)
{
    if (str_trim(text).size == 0) {
        notices_add(reader->notices, NOTICE_INFO, WHERE_FILE(reader->path), "%s", tr("empty file"));
        return true;
    }
    if (!scan_clean(reader->path, text, &reader->text, &reader->skipped, reader->notices, err))
        return false;
    size_t at = scan_space(reader->text, 0);
    if (reader->text.data[at] != '{')
        return error_set(err, ERR_INPUT, where(reader, at), "%s", tr("expected a JSON object"));
    read_members(reader, at);
    return true;
}

bool construct_read_text(const char *path, Str text, Names *names, Arena *arena, Construct *out,
                         Notices *notices, Error *err)
{
    *out = (Construct){.last_micro_step = -1};
    Reader reader = {.construct = out,
                     .path = path,
                     .names = names,
                     .arena = arena,
                     .scratch = arena_new(),
                     .notices = notices};
    strbuf_init(&reader.decoded, reader.scratch);
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
