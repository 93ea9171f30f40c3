// SPDX-License-Identifier: Apache-2.0
#include "read/dump/stack.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/json/json_scan.h"

typedef struct FrameIds {
    NameId *items;
    size_t count, capacity;
} FrameIds;

struct Stacks {
    ScanFile file;
    const Names *names;
    Arena *arena;
    bool exists, loaded;
    StrBuf decoded;
    Names *frame_texts;             // frames repeat a lot: each text is kept once
    FrameIds ids;                   // of the list being read
    const StackFrames **frames_of;  // by NameId of the op
    size_t frames_of_count;
    uint32_t group_count;
};

static Stacks *new_stacks(const char *path, const Names *names, Arena *arena, Notices *notices)
{
    Stacks *stacks = ARENA_NEW(arena, Stacks);
    *stacks = (Stacks){.file = {.path = str_cstr(arena, str_of(path)), .notices = notices},
                       .names = names,
                       .arena = arena};
    stacks->decoded = strbuf_new(arena);
    return stacks;
}

Stacks *stacks_open(const char *path, const Names *names, Arena *arena, Notices *notices)
{
    Stacks *stacks = new_stacks(path, names, arena, notices);
    stacks->exists = file_kind(path) != FILE_NONE;
    return stacks;
}

bool stacks_exist(const Stacks *stacks)
{
    return stacks->exists;
}

// The list of strings at *at as frames; NULL if it is none.
static const StackFrames *read_frames(Stacks *stacks, size_t *at)
{
    ScanList list;
    ScanString string;
    Str text;
    stacks->ids.count = 0;
    scan_list_open(&list, stacks->file.text, *at);
    while (scan_list_next(&list)) {
        if (scan_string(stacks->file.text, &list.at, &string) != SCAN_OK ||
            !scan_text(string, &stacks->decoded, &text))
            return NULL;
        *ARRAY_PUSH(stacks->arena, &stacks->ids) = names_add(stacks->frame_texts, text);
    }
    *at = list.at;
    if (list.status != SCAN_OK)
        return NULL;
    size_t count = stacks->ids.count;
    Str *frames = ARENA_ARRAY(stacks->arena, Str, count);
    for (size_t i = 0; i < count; i++)
        frames[i] = names_text(stacks->frame_texts, stacks->ids.items[i]);
    StackFrames *out = ARENA_NEW(stacks->arena, StackFrames);
    *out =
        (StackFrames){.frames = frames, .count = (uint32_t)count, .group = stacks->group_count++};
    return out;
}

static void keep(Stacks *stacks, Str op, const StackFrames *frames)
{
    NameId id = names_find(stacks->names, op);
    if (id && id < stacks->frames_of_count)
        stacks->frames_of[id] = frames;
}

// A list of ops that share `frames`.
static bool keep_all(Stacks *stacks, size_t at, const StackFrames *frames)
{
    ScanList list;
    ScanString string;
    Str op;
    scan_list_open(&list, stacks->file.text, at);
    while (scan_list_next(&list)) {
        if (scan_string(stacks->file.text, &list.at, &string) != SCAN_OK ||
            !scan_text(string, &stacks->decoded, &op))
            return false;
        keep(stacks, op, frames);
    }
    return list.status == SCAN_OK;
}

// [[op, …], [frame, …]]
static bool read_group(Stacks *stacks, size_t at)
{
    Str text = stacks->file.text;
    size_t ops_at = scan_space(text, at + 1), end = ops_at;
    if (scan_value(text, &end, 2) != SCAN_OK)
        return false;
    end = scan_space(text, end);
    if (end >= text.size || text.data[end] != ',')
        return false;
    end = scan_space(text, end + 1);
    if (end >= text.size || text.data[end] != '[')
        return false;
    const StackFrames *frames = read_frames(stacks, &end);
    return frames && keep_all(stacks, ops_at, frames);
}

// A grouped member holds a list of lists, a flat one a list of strings.
static bool read_member(Stacks *stacks, ScanString key, size_t at)
{
    Str text = stacks->file.text, op;
    if (text.data[at] != '[')
        return false;
    size_t inner = scan_space(text, at + 1);
    if (inner < text.size && text.data[inner] == '[')
        return read_group(stacks, at);
    const StackFrames *frames = read_frames(stacks, &at);
    if (!frames || !scan_text(key, &stacks->decoded, &op))
        return false;
    keep(stacks, op, frames);
    return true;
}

static void take_member(void *context, ScanString key, size_t key_at, size_t from, size_t to)
{
    Stacks *stacks = context;
    (void)to;
    if (!read_member(stacks, key, from))
        notices_add(stacks->file.notices, NOTICE_WARNING, scan_where(&stacks->file, key_at), "%s",
                    tr("expected a list of stack frames; other members are left out"));
}

static void load_text(Stacks *stacks, Str text)
{
    Error err;
    if (str_trim(text).size == 0) {
        notices_add(stacks->file.notices, NOTICE_INFO, WHERE_FILE(stacks->file.path), "%s",
                    tr("empty file"));
        return;
    }
    if (!scan_clean(stacks->file.path, text, &stacks->file.text, stacks->file.notices, &err)) {
        notices_add_error(stacks->file.notices, &err);
        return;
    }
    size_t at = scan_space(stacks->file.text, 0);
    if (stacks->file.text.data[at] == '{')
        scan_members(&stacks->file, at, take_member, stacks);
    else
        notices_partial(stacks->file.notices, scan_where(&stacks->file, at), "%s",
                        tr("expected a JSON object"));
}

static void prepare(Stacks *stacks)
{
    stacks->loaded = true;
    stacks->frame_texts = names_new(stacks->arena);
    if (names_redacted(stacks->names))
        names_redact(stacks->frame_texts);
    stacks->frames_of_count = names_count(stacks->names) + 1;
    stacks->frames_of = ARENA_ARRAY(stacks->arena, const StackFrames *, stacks->frames_of_count);
}

static void load(Stacks *stacks)
{
    File file;
    Error err;
    prepare(stacks);
    if (!file_open(stacks->file.path, &file, &err)) {
        notices_add_error(stacks->file.notices, &err);
        return;
    }
    load_text(stacks, file.text);
    file_close(&file);
    stacks->file.text = (Str){"", 0};
}

Stacks *stacks_of_text(const char *path, Str text, const Names *names, Arena *arena,
                       Notices *notices)
{
    Stacks *stacks = new_stacks(path, names, arena, notices);
    stacks->exists = true;
    prepare(stacks);
    load_text(stacks, text);
    stacks->file.text = (Str){"", 0};
    return stacks;
}

const StackFrames *stacks_find(Stacks *stacks, NameId op)
{
    if (stacks->exists && !stacks->loaded)
        load(stacks);
    return op < stacks->frames_of_count ? stacks->frames_of[op] : NULL;
}

// "<digits>, in " at `at`: gives the number and where the function begins.
static bool read_line_number(Str text, size_t at, int64_t *line, size_t *function)
{
    size_t comma = str_find_char(text, ',', at);
    if (comma == SIZE_MAX || !str_to_int64(str_slice(text, at, comma), line))
        return false;
    *function = comma + 5;
    return str_equal(str_slice(text, comma, comma + 5), STR(", in "));
}

bool frame_parse(Str text, Frame *out)
{
    *out = (Frame){0};
    size_t function = 0, line = 5;
    if (!str_starts(text, STR("File ")))
        return false;
    do {
        line = str_find(text, STR(", line "), line);
        if (line == SIZE_MAX)
            return false;
        out->file = str_slice(text, 5, line);
        line += 7;
    } while (!read_line_number(text, line, &out->line, &function));
    Str rest = str_slice(text, function, text.size);
    size_t newline = str_find_char(rest, '\n', 0);
    out->function = str_trim(str_slice(rest, 0, newline));
    if (str_ends(out->function, STR(",")))
        out->function.size--;
    if (newline != SIZE_MAX)
        out->source = str_trim(str_slice(rest, newline + 1, rest.size));
    return true;
}
