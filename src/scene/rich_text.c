// SPDX-License-Identifier: Apache-2.0
#include "scene/rich_text.h"

#include <string.h>

#include "base/array.h"

typedef struct Reader {
    Str text;
    size_t at;
    size_t plain_from;
    bool bold, italic;
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
    size_t end = str_find_char(reader->text, '`', reader->at + 1);
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
    return link.size < 2000;
}

static bool read_link(Reader *reader)
{
    size_t end = str_find(reader->text, STR("]("), reader->at + 1);
    size_t close = end == SIZE_MAX ? SIZE_MAX : str_find_char(reader->text, ')', end + 2);
    if (close == SIZE_MAX || end == reader->at + 1)
        return false;
    Str name = str_slice(reader->text, reader->at + 1, end);
    Str link = str_slice(reader->text, end + 2, close);
    if (!is_allowed(link) || str_find_char(name, '[', 0) != SIZE_MAX)
        return false;
    end_plain(reader);
    push(reader, name)->link = link;
    skip(reader, close + 1 - reader->at);
    return true;
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
    if (!*state &&
        str_find(reader->text, strong ? STR("**") : STR("*"), reader->at + bytes) == SIZE_MAX)
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
    enum { TEXT_MAX = 20000 };  // marks that never close are searched for again and again
    Reader reader = {.text = text, .arena = arena, .out = out};
    *out = (RichSpans){0};
    while (reader.at < text.size)
        if (text.size > TEXT_MAX || !read_mark(&reader))
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
