// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_wrapper.h"

#include <string.h>

#include "read/json/python_literal.h"
#include "read/log/lines.h"
#include "read/log/series_name.h"

static void append(char *room, size_t *size, Str text)
{
    if (text.size)
        memcpy(room + *size, text.data, text.size);
    *size += text.size;
}

// The printed line in an object or in its "record", and whether it brings its own line end.
static bool printed_line(Str line, Arena *arena, Str *out, bool *whole)
{
    LiteralReader reader = literal_open(line, 0, arena);
    Str key;
    bool found = false;
    if (!literal_enter(&reader, '{'))
        return false;
    while (!found && literal_member(&reader, &key)) {
        Literal value = literal_value(&reader);
        bool object = value.kind == LITERAL_OBJECT;
        if (object && STR_IN(key, "record", "jsonPayload") && literal_enter(&reader, '{'))
            continue;
        if (object || value.kind == LITERAL_ARRAY)
            literal_skip(&reader);
        found =
            value.kind == LITERAL_TEXT && STR_IN(key, "log", "message", "msg", "MESSAGE", "line",
                                                 "content", "text", "event", "textPayload");
        *out = value.text;
        *whole = !str_equal(key, STR("log"));
    }
    return found;
}

enum { SCRATCH_BYTES = 1 << 20 };

bool wrapper_unpack_json(Str text, Arena *arena, Str *out)
{
    char *room = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    bool any = false, good = true;
    Arena *scratch = arena_new();
    while (good && text.size) {
        size_t feed = str_find_char(text, '\n', 0);
        Str line = str_slice(text, 0, feed == SIZE_MAX ? text.size : feed), printed;
        bool whole = true;
        text = str_slice(text, feed == SIZE_MAX ? text.size : feed + 1, text.size);
        if (line.size > LINE_BYTES_MAX || !printed_line(str_trim(line), scratch, &printed, &whole))
            printed = line;
        else
            any = true;
        good = any || str_trim(line).size == 0 || str_trim(line).data[0] != '{';
        append(room, &size, printed);
        if (whole && !str_ends(printed, STR("\n")) && feed != SIZE_MAX)
            append(room, &size, STR("\n"));
        if (arena_bytes(scratch) > SCRATCH_BYTES) {
            arena_release(scratch);
            scratch = arena_new();
        }
    }
    arena_release(scratch);
    *out = (Str){room, size};
    return good && any;
}

bool wrapper_unpack_array(Str text, Arena *arena, Str *out)
{
    char *room = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    Arena *scratch = arena_new();
    LiteralReader reader = literal_open(text, 0, scratch);
    bool whole;
    for (bool any = literal_enter(&reader, '['); any && literal_element(&reader);) {
        size_t from = reader.at;
        Str printed;
        if (!literal_skip(&reader))
            break;
        if (!printed_line(str_trim(str_slice(text, from, reader.at)), scratch, &printed, &whole))
            continue;
        append(room, &size, str_trim(printed));
        append(room, &size, STR("\n"));
    }
    arena_release(scratch);
    *out = (Str){room, size};
    return size > 0;
}

static bool next_line(Str *rest, Str *line)
{
    if (rest->size == 0)
        return false;
    size_t feed = str_find_char(*rest, '\n', 0);
    *line = str_slice(*rest, 0, feed == SIZE_MAX ? rest->size : feed);
    *rest = str_slice(*rest, feed == SIZE_MAX ? rest->size : feed + 1, rest->size);
    return true;
}

// The cells of a row without the bars at its ends.
static Str row_of(Str line)
{
    line = str_trim(line);
    if (str_starts(line, STR("|")))
        line = str_slice(line, 1, line.size);
    if (str_ends(line, STR("|")))
        line = str_slice(line, 0, line.size - 1);
    return line;
}

static bool is_row(Str line)
{
    return str_find_char(line, '|', 0) != SIZE_MAX;
}

// "|---|:---:|": what stands below the header of a table.
static bool is_rule(Str line)
{
    bool dash = false;
    line = str_trim(line);
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i];
        dash = dash || c == '-';
        if (c != '-' && c != ':' && c != '|' && c != ' ')
            return false;
    }
    return dash && is_row(line);
}

// A counter is among the names, and what is measured.
static bool is_header(Str line)
{
    Str cell, row = row_of(line);
    bool counts = false, measures = false;
    int order;
    while (is_row(line) && str_split(&row, '|', &cell)) {
        cell = str_trim(cell);
        counts =
            counts || series_name_is_step(cell, &order) || str_equal_nocase(cell, STR("epoch"));
        measures = measures || series_facts(cell).measure || series_facts(cell).evaluation;
    }
    return counts && measures;
}

// Emphasis and code marks are no part of a cell.
static void append_row(char *room, size_t *size, Str line)
{
    Str row = row_of(line);
    for (size_t i = 0; i < row.size; i++)
        if (row.data[i] != '*' && row.data[i] != '`')
            room[(*size)++] = row.data[i] == '|' ? '\t' : row.data[i];
}

bool wrapper_unpack_markdown(Str text, Arena *arena, Str *out, uint64_t *unread)
{
    Str line, before = STR(""), header = STR("");
    char *room = arena_alloc(arena, text.size + 2);
    size_t size = 0;
    bool inside = false;
    *unread = 0;
    for (uint64_t number = 1; next_line(&text, &line); number++) {
        bool head = is_rule(line) && is_header(before);
        if (head && header.size == 0) {
            append_row(room, &size, header = before);
            inside = true;
        } else if (head) {
            inside = false;
            *unread = *unread ? *unread : number - 1;
        }
        inside = inside && is_row(line);
        if (inside && !is_rule(line))
            append_row(room, &size, line);
        append(room, &size, STR("\n"));
        before = line;
    }
    *out = (Str){room, size};
    return header.size > 0;
}
