// SPDX-License-Identifier: Apache-2.0
#include "scene/rich_text.h"

#include <string.h>

#include "base/array.h"

enum { LINK_BYTES = 2000 };

typedef struct Reader {
    Str text;
    size_t at;
    size_t plain_from;
    bool bold, italic;
    bool no_code, no_strong;  // no mark that closes one follows
    Arena *arena;
    RichSpans *out;
} Reader;

static RichSpan *push(Reader *reader, Str text)
{
    RichSpan *span = ARRAY_PUSH(reader->arena, reader->out);
    *span = (RichSpan){.text = text, .bold = reader->bold, .italic = reader->italic};
    return span;
}

static void end_plain(Reader *reader)
{
    if (reader->at > reader->plain_from)
        push(reader, str_slice(reader->text, reader->plain_from, reader->at));
}

static void skip(Reader *reader, size_t bytes)
{
    reader->at += bytes;
    reader->plain_from = reader->at;
}

static char letter(const Reader *reader, size_t offset)
{
    size_t at = reader->at + offset;
    return at < reader->text.size ? reader->text.data[at] : '\0';
}

static bool read_escape(Reader *reader)
{
    char next = letter(reader, 1);
    if (!next || !strchr("\\`*_[]()#+-.!|<>", next))
        return false;
    end_plain(reader);
    skip(reader, 1);
    reader->at++;  // the letter itself starts the next plain text
    return true;
}

static bool read_code(Reader *reader)
{
    size_t end = reader->no_code ? SIZE_MAX : str_find_char(reader->text, '`', reader->at + 1);
    reader->no_code = end == SIZE_MAX;
    if (end == SIZE_MAX || end == reader->at + 1)
        return false;
    end_plain(reader);
    push(reader, str_slice(reader->text, reader->at + 1, end))->code = true;
    skip(reader, end + 1 - reader->at);
    return true;
}

static bool is_allowed(Str link)
{
    if (!str_starts(link, STR("http://")) && !str_starts(link, STR("https://")) &&
        !str_starts(link, STR("#")))
        return false;
    for (size_t i = 0; i < link.size; i++)
        if ((unsigned char)link.data[i] <= ' ' || strchr("\"'<>\\`", link.data[i]))
            return false;
    return link.size < LINK_BYTES;
}

static bool read_link(Reader *reader)
{
    Str rest = str_slice(reader->text, reader->at + 1, reader->text.size);
    rest = str_slice(rest, 0, str_find_char(rest, '[', 0));  // a name holds no bracket
    size_t end = str_find(rest, STR("]("), 0);
    if (end == SIZE_MAX || end == 0)
        return false;
    Str name = str_slice(rest, 0, end);
    end += reader->at + 1;
    Str link = str_slice(reader->text, end + 2, end + 2 + LINK_BYTES);
    size_t close = str_find_char(link, ')', 0);
    link = str_slice(link, 0, close);
    if (close == SIZE_MAX || !is_allowed(link))
        return false;
    close += end + 2;
    end_plain(reader);
    push(reader, name)->link = link;
    skip(reader, close + 1 - reader->at);
    return true;
}

// Whether a star, or two of them, follow from `at` on.
static bool closes(Reader *reader, bool strong, size_t at)
{
    if (!strong)
        return str_find_char(reader->text, '*', at) != SIZE_MAX;
    reader->no_strong = reader->no_strong || str_find(reader->text, STR("**"), at) == SIZE_MAX;
    return !reader->no_strong;
}

// A mark opens before a letter and closes after one; a lone star between blanks is text.
static bool read_emphasis(Reader *reader)
{
    bool strong = letter(reader, 1) == '*';
    size_t bytes = strong ? 2 : 1;
    bool *state = strong ? &reader->bold : &reader->italic;
    char after = letter(reader, bytes);
    char before = reader->at ? reader->text.data[reader->at - 1] : ' ';
    if (*state ? before == ' ' : (after == ' ' || !after))
        return false;
    if (!*state && !closes(reader, strong, reader->at + bytes))
        return false;
    end_plain(reader);
    *state = !*state;
    skip(reader, bytes);
    return true;
}

static bool read_mark(Reader *reader)
{
    switch (letter(reader, 0)) {
    case '\\':
        return read_escape(reader);
    case '`':
        return read_code(reader);
    case '[':
        return read_link(reader);
    case '*':
        return read_emphasis(reader);
    default:
        return false;
    }
}

void rich_text_read(Str text, Arena *arena, RichSpans *out)
{
    Reader reader = {.text = text, .arena = arena, .out = out};
    *out = (RichSpans){0};
    while (reader.at < text.size)
        if (!read_mark(&reader))
            reader.at++;
    end_plain(&reader);
}

Str rich_text_plain(Str text, Arena *arena)
{
    RichSpans spans;
    StrBuf plain = strbuf_new(arena);
    rich_text_read(text, arena, &spans);
    for (size_t i = 0; i < spans.count; i++)
        strbuf_add(&plain, spans.items[i].text);
    return strbuf_str(&plain);
}
