// SPDX-License-Identifier: Apache-2.0
#include "renderers/template.h"

#include <string.h>

#include "base/file.h"
#include "base/words.h"
#include "templates/templates.h"

enum { MAX_DEPTH = 8 };

// An open list: where its body starts and which item is shown.
typedef struct OpenList {
    Str name;
    size_t body, item;
} OpenList;

typedef struct Reader {
    Str text;
    const char *name;
    const TemplateSource *source;
    Markup *out;
    OpenList open[MAX_DEPTH];
    size_t depth;
    Error *err;
} Reader;

static bool fail(const Reader *reader, size_t at, const char *format, Str what)
{
    char shown[41];
    size_t size = what.size < 40 ? what.size : 40;
    memcpy(shown, size ? what.data : "", size);
    shown[size] = '\0';
    uint64_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += reader->text.data[i] == '\n';
    Error *err = reader->err;
    error_set(err, ERR_INPUT, WHERE_LINE(reader->name, line), "%s", format);
    return error_hint(err, "'%s'", shown);
}

// A list name as it is in the text: it ends with the closing braces.
static size_t skip_list(const Reader *reader, size_t from, Str list)
{
    size_t depth = 1;
    for (size_t at = from; (at = str_find(reader->text, STR("{{"), at)) != SIZE_MAX; at += 2) {
        size_t end = str_find(reader->text, STR("}}"), at);
        if (end == SIZE_MAX)
            break;
        Str tag = str_slice(reader->text, at + 2, end);
        if (tag.size < 2 || !str_equal(str_slice(tag, 1, tag.size), list))
            continue;
        depth += tag.data[0] == '#';
        depth -= tag.data[0] == '/';
        if (depth == 0)
            return end + 2;
    }
    return SIZE_MAX;
}

// Enters the list, or steps over it when it is empty. Gives where to read on, or SIZE_MAX.
static size_t enter(Reader *reader, Str list, size_t tag, size_t body)
{
    bool known = true;
    size_t end = skip_list(reader, body, list);
    if (end == SIZE_MAX || reader->depth == MAX_DEPTH) {
        fail(reader, tag, tr("a list of the template does not end, or is nested too deep"), list);
        return SIZE_MAX;
    }
    bool any = reader->source->next(reader->source->state, list, 0, &known);
    if (!known) {
        fail(reader, tag, tr("the template names a list that is not known"), list);
        return SIZE_MAX;
    }
    if (!any)
        return end;
    reader->open[reader->depth++] = (OpenList){list, body, 0};
    return body;
}

// At the end of a list: back to its body for the next item, or past it.
static size_t repeat(Reader *reader, Str list, size_t tag, size_t after)
{
    OpenList *open = reader->depth ? &reader->open[reader->depth - 1] : NULL;
    if (!open || !str_equal(open->name, list)) {
        fail(reader, tag, tr("a list of the template ends that was not begun"), list);
        return SIZE_MAX;
    }
    bool known = true;
    if (reader->source->next(reader->source->state, list, ++open->item, &known))
        return open->body;
    reader->depth--;
    return after;
}

static size_t write_value(Reader *reader, Str name, size_t tag, size_t after)
{
    if (reader->source->value(reader->source->state, name, reader->out))
        return after;
    fail(reader, tag, tr("the template names a value that is not known"), name);
    return SIZE_MAX;
}

static size_t follow(Reader *reader, size_t tag)
{
    size_t end = str_find(reader->text, STR("}}"), tag);
    if (end == SIZE_MAX) {
        fail(reader, tag, tr("expected '}}' in the template"), (Str){"", 0});
        return SIZE_MAX;
    }
    Str name = str_slice(reader->text, tag + 2, end);
    char kind = name.size ? name.data[0] : '\0';
    if (kind == '#')
        return enter(reader, str_slice(name, 1, name.size), tag, end + 2);
    if (kind == '/')
        return repeat(reader, str_slice(name, 1, name.size), tag, end + 2);
    return write_value(reader, name, tag, end + 2);
}

bool template_write(Str text, const char *name, const TemplateSource *source, Markup *out,
                    Error *err)
{
    Reader reader = {.text = text, .name = name, .source = source, .out = out, .err = err};
    size_t at = 0;
    while (at < text.size) {
        size_t tag = str_find(text, STR("{{"), at);
        markup_str(out, str_slice(text, at, tag));
        if (tag == SIZE_MAX)
            break;
        at = follow(&reader, tag);
        if (at == SIZE_MAX)
            return false;
    }
    return true;
}

bool template_find(const char *folder, const char *name, Arena *arena, Str *out, Error *err)
{
    char *path = folder ? path_join(arena, folder, str_of(name)) : NULL;
    if (path && file_kind(path) != FILE_NONE) {
        File file;
        if (!file_open(path, &file, err))
            return false;
        *out = str_copy(arena, file.text);
        file_close(&file);
        return true;
    }
    for (const Template *at = templates; at->name; at++)
        if (strcmp(at->name, name) == 0) {
            *out = (Str){at->data, at->size};
            return true;
        }
    return error_set(err, ERR_INPUT, WHERE_FILE(name), "%s", tr("there is no such template"));
}
