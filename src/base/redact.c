// SPDX-License-Identifier: Apache-2.0
#include "base/redact.h"

#include <string.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/path.h"

// Longer folders first, so that "runs/a" is found before "runs".
void redact_add(Redaction *redaction, Arena *arena, Str path, Str label)
{
    path = path_trim(path);
    if (path.size == 0 || str_equal(path, STR(".")) || str_equal(path, STR("..")))
        return;
    ARRAY_PUSH(arena, redaction);
    size_t at = redaction->count - 1;
    for (; at > 0 && redaction->items[at - 1].path.size < path.size; at--)
        redaction->items[at] = redaction->items[at - 1];
    redaction->items[at] = (RedactRoot){path, label};
}

static bool ends_path(char c)
{
    return strchr(" \t\r\n'\"`,;:|()[]{}<>=", c) != NULL;
}

static bool is_bound(Str text, size_t at)
{
    return at == text.size || ends_path(text.data[at]);
}

// Texts in Chinese set no blank before a path, and may not set one after it.
static bool is_foreign(char c)
{
    return (unsigned char)c >= 0x80;
}

// The known folder that starts at `at` and ends with the text, a slash or a mark. Where no path can
// begin (`start` false), folders that begin with '/' are known all the same.
static const RedactRoot *root_at(const Redaction *redaction, Str text, size_t at, bool start)
{
    Str rest = str_slice(text, at, text.size);
    for (size_t i = 0; i < redaction->count; i++) {
        Str path = redaction->items[i].path;
        if ((start || path.data[0] == '/') && str_starts(rest, path) &&
            (is_bound(rest, path.size) || rest.data[path.size] == '/' ||
             is_foreign(rest.data[path.size])))
            return &redaction->items[i];
    }
    return NULL;
}

enum { MARKS = 3 };
static const char *const marks[MARKS] = {"/site-packages/", "/dist-packages/", "/lib/python3"};

// From here on a path is the same wherever the package is installed.
static size_t package_at(Str path)
{
    for (size_t i = 0; i < MARKS; i++) {
        size_t at = str_find(path, str_of(marks[i]), 0);
        if (at != SIZE_MAX)
            return at;
    }
    return SIZE_MAX;
}

// The names of event files hold the host: events.out.tfevents.TIME.HOST.
static Str cut_path(Str path)
{
    size_t package = package_at(path);
    if (package != SIZE_MAX)
        return str_slice(path, package, path.size);
    Str name = path_base(path), events = STR("events.out.tfevents");
    return str_starts(name, events) ? events : name;
}

// "/a/b", "~/a", "~user/a", and after ':' the "//host/a" of an address.
static bool is_absolute(Str text, size_t at)
{
    if (text.data[at] == '~') {
        while (!is_bound(text, at) && text.data[at] != '/')
            at++;
        return at < text.size && text.data[at] == '/';
    }
    return text.data[at] == '/' && !is_bound(text, at + 1);
}

// What lies ahead in a text, so that what many paths in one word have in common is looked for once.
typedef struct Ahead {
    size_t bound;
    size_t marks[MARKS];
} Ahead;

static size_t path_end(Ahead *ahead, Str text, size_t at)
{
    ahead->bound = at < ahead->bound ? ahead->bound : at;
    while (!is_bound(text, ahead->bound))
        ahead->bound++;
    return ahead->bound;
}

// As package_at of the path, from the start of the text.
static size_t package_ahead(Ahead *ahead, Str text, size_t at, size_t end)
{
    for (size_t i = 0; i < MARKS; i++) {
        Str mark = str_of(marks[i]);
        if (ahead->marks[i] <= at)
            ahead->marks[i] = str_find(text, mark, at);
        if (ahead->marks[i] < end && mark.size <= end - ahead->marks[i])
            return ahead->marks[i];
    }
    return SIZE_MAX;
}

// What follows a letter of Chinese text may be another path, which no package hides.
static size_t package_end(Str text, size_t at, size_t end)
{
    for (at++; at < end; at++)
        if (text.data[at] == '/' && is_foreign(text.data[at - 1]))
            return at;
    return end;
}

Str redact_text(const Redaction *redaction, Str text, Arena *arena)
{
    StrBuf buf;
    if (!redaction)
        return text;
    buf = strbuf_new(arena);
    Ahead ahead = {0};
    for (size_t at = 0; at < text.size;) {
        bool start = at == 0 || ends_path(text.data[at - 1]) || is_foreign(text.data[at - 1]);
        const RedactRoot *root = root_at(redaction, text, at, start);
        if (root) {
            strbuf_add(&buf, root->label);
            at += root->path.size;
        } else if (start && is_absolute(text, at)) {
            size_t end = path_end(&ahead, text, at);
            size_t package = package_ahead(&ahead, text, at, end);
            if (package != SIZE_MAX)
                end = package_end(text, package, end);
            strbuf_add(&buf, cut_path(str_slice(text, at, end)));
            at = end;
        } else {
            strbuf_add_char(&buf, text.data[at++]);
        }
    }
    return str_copy(arena, strbuf_str(&buf));
}

Str redact_path(const Redaction *redaction, Str path, Arena *arena)
{
    if (!redaction || path.size == 0)
        return path;
    const RedactRoot *root = root_at(redaction, path, 0, true);
    if (!root)
        return str_copy(arena, cut_path(path));
    return str_concat(arena, root->label, str_slice(path, root->path.size, path.size));
}

Str redact_value(Str text, Arena *arena)
{
    static const Redaction no_roots = {0};
    if (str_find_char(text, '/', 0) == SIZE_MAX)
        return text;
    Str cut = redact_text(&no_roots, text, arena);
    if (str_equal(cut, text) || str_starts(text, STR("File ")))
        return cut;
    return str_printf(arena, STR_FMT "#%08x", STR_ARG(cut), (unsigned)crc32c(text.data, text.size));
}
