// SPDX-License-Identifier: Apache-2.0
#include "read/settings/toml_file.h"

#include "base/array.h"
#include "base/words.h"

enum { ENTRIES_MAX = 1000 };

typedef struct Reader {
    const char *path;
    Str text;
    size_t at;
    uint64_t line;
    Arena *arena;
    Error *err;
} Reader;

static bool fail(Reader *reader, const char *expected)
{
    return error_set(reader->err, ERR_USAGE, WHERE_LINE(reader->path, reader->line), "%s",
                     expected);
}

static char here(const Reader *reader)
{
    return reader->at < reader->text.size ? reader->text.data[reader->at] : '\n';
}

static bool at_end(const Reader *reader)
{
    return reader->at >= reader->text.size;
}

static void skip_blanks(Reader *reader)
{
    while (!at_end(reader) && (here(reader) == ' ' || here(reader) == '\t'))
        reader->at++;
}

static void skip_comment(Reader *reader)
{
    skip_blanks(reader);
    if (here(reader) == '#')
        while (!at_end(reader) && here(reader) != '\n')
            reader->at++;
}

// What follows the value on its line: nothing but a comment.
static bool end_line(Reader *reader)
{
    skip_comment(reader);
    if (here(reader) == '\r')
        reader->at++;
    if (here(reader) != '\n')
        return fail(reader, tr("expected the end of the line"));
    reader->at++;
    reader->line++;
    return true;
}

// Blanks, comments and ends of lines, as between the items of a list.
static void skip_lines(Reader *reader)
{
    for (;;) {
        skip_comment(reader);
        if (at_end(reader) || (here(reader) != '\n' && here(reader) != '\r'))
            return;
        reader->line += here(reader) == '\n';
        reader->at++;
    }
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static Str take_bare(Reader *reader)
{
    size_t start = reader->at;
    while (!at_end(reader) && is_bare(here(reader)))
        reader->at++;
    return str_slice(reader->text, start, reader->at);
}

// "..." with \" and \\, or '...' as it is.
static bool take_text(Reader *reader, Str *out)
{
    char quote = here(reader);
    StrBuf text = strbuf_new(reader->arena);
    for (reader->at++; !at_end(reader) && here(reader) != quote; reader->at++) {
        char c = here(reader);
        if (c == '\\' && quote == '"') {
            reader->at++;
            c = here(reader);
            if (c != '"' && c != '\\')
                return fail(reader, tr("expected \\\" or \\\\ after a backslash; a text in single "
                                       "quotes is taken as it is"));
        }
        if ((unsigned char)c < ' ' || c == 0x7F)
            return fail(reader, tr("expected the end of the text in quotes on its line"));
        strbuf_add_char(&text, c);
    }
    if (at_end(reader))
        return fail(reader, tr("expected the end of the text in quotes on its line"));
    reader->at++;
    *out = str_copy(reader->arena, strbuf_str(&text));
    return true;
}

static bool take_item(Reader *reader, TomlEntry *entry)
{
    Str text;
    if (here(reader) != '"' && here(reader) != '\'')
        return fail(reader, tr("expected a text in quotes"));
    if (!take_text(reader, &text))
        return false;
    *ARRAY_PUSH(reader->arena, entry) = text;
    return true;
}

static bool take_list(Reader *reader, TomlEntry *entry)
{
    entry->kind = TOML_LIST;
    reader->at++;
    for (skip_lines(reader); here(reader) != ']'; skip_lines(reader)) {
        if (!take_item(reader, entry))
            return false;
        skip_lines(reader);
        if (here(reader) == ',')
            reader->at++;
        else if (here(reader) != ']')
            return fail(reader, tr("expected , or ] in the list"));
    }
    reader->at++;
    return true;
}

static bool take_value(Reader *reader, TomlEntry *entry)
{
    if (here(reader) == '[')
        return take_list(reader, entry);
    if (here(reader) == '"' || here(reader) == '\'')
        return take_item(reader, entry);
    Str word = take_bare(reader);
    uint64_t number;
    entry->kind = TOML_NUMBER;
    if (STR_IN(word, "true", "false"))
        entry->kind = TOML_FLAG;
    else if (!str_to_uint64(word, &number))
        return fail(reader, tr("expected a text in quotes, true, false, a whole number or a list "
                               "of texts"));
    *ARRAY_PUSH(reader->arena, entry) = str_copy(reader->arena, word);
    return true;
}

static bool take_table(Reader *reader, Str *table)
{
    reader->at++;
    skip_blanks(reader);
    Str name = take_bare(reader);
    skip_blanks(reader);
    if (name.size == 0 || here(reader) != ']')
        return fail(reader, tr("expected [NAME]"));
    reader->at++;
    *table = str_copy(reader->arena, name);
    return true;
}

static bool take_entry(Reader *reader, Str table, TomlFile *out)
{
    TomlEntry entry = {.table = table, .line = reader->line};
    entry.key = str_copy(reader->arena, take_bare(reader));
    skip_blanks(reader);
    if (entry.key.size == 0 || here(reader) != '=')
        return fail(reader, tr("expected [NAME] or NAME = VALUE"));
    for (size_t i = 0; i < out->count; i++)
        if (str_equal(out->items[i].table, table) && str_equal(out->items[i].key, entry.key))
            return error_set(reader->err, ERR_USAGE, WHERE_LINE(reader->path, reader->line),
                             tr("'" STR_FMT "' is there twice, first in line %llu"),
                             STR_ARG(entry.key), (unsigned long long)out->items[i].line);
    if (out->count >= ENTRIES_MAX)
        return fail(reader, tr("more than 1,000 settings"));
    reader->at++;
    skip_blanks(reader);
    if (!take_value(reader, &entry))
        return false;
    *ARRAY_PUSH(reader->arena, out) = entry;
    return true;
}

bool toml_read_text(const char *path, Str text, Arena *arena, TomlFile *out, Error *err)
{
    Reader reader = {.path = path, .text = text, .line = 1, .arena = arena, .err = err};
    Str table = STR("");
    *out = (TomlFile){0};
    for (skip_lines(&reader); !at_end(&reader); skip_lines(&reader)) {
        bool good =
            here(&reader) == '[' ? take_table(&reader, &table) : take_entry(&reader, table, out);
        if (!good || !end_line(&reader))
            return false;
    }
    return true;
}
