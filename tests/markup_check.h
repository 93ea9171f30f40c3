// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_MARKUP_CHECK_H
#define VERNIER_TESTS_MARKUP_CHECK_H

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "check.h"

// A small reader of XML that accepts only what our writers use. It says whether a text is
// well-formed, and hands every tag and every text to a visitor.

typedef struct MarkupVisitor {
    // A start tag; called again for each attribute, with attribute empty at first. Values and texts
    // come with their entities resolved.
    void (*tag)(void *state, Str element, Str attribute, Str value);
    void (*text)(void *state, Str element, Str text);
    void *state;
} MarkupVisitor;

typedef struct MarkupReader {
    Str text;
    size_t at;
    Arena *arena;
    Str open[64];
    size_t depth;
    const MarkupVisitor *visitor;
} MarkupReader;

static inline bool markup_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':' || c == '_' || c == '.';
}

static inline Str markup_name(MarkupReader *in)
{
    size_t from = in->at;
    while (in->at < in->text.size && markup_name_char(in->text.data[in->at]))
        in->at++;
    return str_slice(in->text, from, in->at);
}

static inline bool markup_chars_allowed(Str text)
{
    if (!utf8_valid(text))
        return false;
    for (size_t at = 0; at < text.size;) {
        uint32_t c = utf8_next(text, &at);
        if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0xFFFE ||
            c == 0xFFFF)
            return false;
    }
    return true;
}

static inline bool markup_resolve(Str text, Arena *arena, Str *out)
{
    static const char *const entities[][2] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    StrBuf buf;
    buf = strbuf_new(arena);
    for (size_t i = 0; i < text.size;) {
        size_t step = 0;
        for (size_t k = 0; text.data[i] == '&' && k < 5; k++)
            if (str_starts(str_slice(text, i, text.size), str_of(entities[k][0]))) {
                strbuf_add(&buf, str_of(entities[k][1]));
                step = strlen(entities[k][0]);
            }
        if (!step && (text.data[i] == '&' || text.data[i] == '<'))
            return false;
        if (!step)
            strbuf_add_char(&buf, text.data[i]);
        i += step ? step : 1;
    }
    *out = strbuf_str(&buf);
    return markup_chars_allowed(text);
}

static inline bool markup_attributes(MarkupReader *in, Str element)
{
    while (in->at < in->text.size && in->text.data[in->at] == ' ') {
        in->at++;
        Str name = markup_name(in), value;
        if (!name.size || !str_starts(str_slice(in->text, in->at, in->text.size), STR("=\"")))
            return false;
        in->at += 2;
        size_t end = str_find_char(in->text, '"', in->at);
        if (end == SIZE_MAX || !markup_resolve(str_slice(in->text, in->at, end), in->arena, &value))
            return false;
        in->at = end + 1;
        in->visitor->tag(in->visitor->state, element, name, value);
    }
    return true;
}

static inline bool markup_tag(MarkupReader *in)
{
    in->at++;
    if (in->at < in->text.size && in->text.data[in->at] == '/') {
        in->at++;
        Str name = markup_name(in);
        return in->depth > 0 && str_equal(name, in->open[--in->depth]) &&
               in->text.data[in->at++] == '>';
    }
    Str name = markup_name(in);
    if (!name.size || in->depth == 64)
        return false;
    in->visitor->tag(in->visitor->state, name, (Str){"", 0}, (Str){"", 0});
    if (!markup_attributes(in, name))
        return false;
    if (str_starts(str_slice(in->text, in->at, in->text.size), STR("/>"))) {
        in->at += 2;
        return true;
    }
    in->open[in->depth++] = name;
    return in->text.data[in->at++] == '>';
}

static inline bool markup_well_formed(Str text, Arena *arena, const MarkupVisitor *visitor)
{
    MarkupReader in = {.text = text, .arena = arena, .visitor = visitor};
    while (in.at < text.size) {
        if (text.data[in.at] == '<') {
            if (!markup_tag(&in))
                return false;
            continue;
        }
        size_t end = str_find_char(text, '<', in.at);
        Str part = str_slice(text, in.at, end), resolved;
        if (!markup_resolve(part, arena, &resolved))
            return false;
        visitor->text(visitor->state, in.depth ? in.open[in.depth - 1] : (Str){"", 0}, resolved);
        in.at = end == SIZE_MAX ? text.size : end;
    }
    return in.depth == 0;
}

// A visitor that fails the test for anything that runs, loads or leads elsewhere.
static inline void markup_refuse_active(void *state, Str element, Str attribute, Str value)
{
    (void)state;
    static const char *const active[] = {"script",  "iframe", "object", "embed", "foreignObject",
                                         "animate", "set",    "use",    "base",  "form"};
    for (size_t i = 0; i < sizeof active / sizeof *active; i++)
        CHECK(!str_equal(element, str_of(active[i])));
    CHECK(!str_starts(attribute, STR("on")));
    if (str_equal(attribute, STR("href")) || str_equal(attribute, STR("src")))
        CHECK(str_find_char(value, ':', 0) == SIZE_MAX && !str_starts(value, STR("/")));  // beside
    if (str_find(value, STR("url("), 0) != SIZE_MAX)
        CHECK(str_starts(value, STR("url(#")));
}

#endif
