// SPDX-License-Identifier: Apache-2.0
// What a log prints of its run: arguments, a whole configuration, versions.
#include "read/json/python_literal.h"
#include "read/log/line_prefix.h"
#include "read/settings/config_file.h"

enum { MEMBERS_MIN = 6, MEMBERS_MANY = 12, LOOK_BYTES = 1 << 20 };

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

// "  lr ........ 1e-05"
static bool dotted_line(Str line, Str *key, Str *value)
{
    size_t dots = str_find(line, STR(" .."), 0);
    if (dots == SIZE_MAX)
        return false;
    size_t from = dots;
    while (from > 0 && is_key_char(line.data[from - 1]))
        from--;
    size_t end = dots + 1;
    while (end < line.size && line.data[end] == '.')
        end++;
    *key = str_slice(line, from, dots);
    *value = str_trim(str_slice(line, end, line.size));
    return key->size > 0 && end < line.size && line.data[end] == ' ' && value->size > 0;
}

// "adam_beta1=0.9," of TrainingArguments(, a line each.
static bool argument_line(Str line, Str *key, Str *value)
{
    size_t end = 0;
    while (end < line.size && is_key_char(line.data[end]))
        end++;
    *key = str_slice(line, 0, end);
    *value = str_slice(line, end + 1, line.size ? line.size - 1 : 0);
    return end > 1 && end + 2 < line.size && line.data[end] == '=' &&
           line.data[line.size - 1] == ',' && line.data[end + 1] != '=';
}

// "MindSpore version: 2.4.10" at the end of a line, whatever stands before it: a name of at most
// three words, and a value with a digit.
static bool version_line(Str line, Str *name, Str *value)
{
    size_t at = SIZE_MAX, next = 0;
    while ((next = str_find(line, STR("ersion"), next)) != SIZE_MAX)
        at = next++;
    if (at == SIZE_MAX || at < 2 || (line.data[at - 1] | 0x20) != 'v' || line.data[at - 2] != ' ')
        return false;
    Str rest = str_trim(str_slice(line, at + 6, line.size));
    if (rest.size == 0 || !(rest.data[0] == ':' || rest.data[0] == '='))
        return false;
    *value = str_trim(str_slice(rest, 1, rest.size));
    Str before = str_slice(line, 0, at - 2);
    size_t from = before.size, words = 1;
    while (from > 0 && (is_letter(before.data[from - 1]) || is_digit(before.data[from - 1]) ||
                        (before.data[from - 1] && strchr("_-.", before.data[from - 1])) ||
                        (before.data[from - 1] == ' ' && from < before.size &&
                         is_letter(before.data[from]) && words++ < 3)))
        from--;
    while (from < before.size && !is_letter(before.data[from]))
        from++;
    *name = str_trim(str_slice(before, from, before.size));
    bool digit = false;
    for (size_t i = 0; i < value->size; i++)
        digit = digit || is_digit(value->data[i]);
    return digit && value->size < 64 && name->size && str_find_char(*value, ' ', 0) == SIZE_MAX;
}

// Whether a dict at `at` is a configuration, and where it ends: one with dicts within, or of many
// members. Records of a step are flat and have a loss.
static bool is_configuration(Str text, size_t at, size_t *end)
{
    Arena *arena = arena_new();
    LiteralReader reader = literal_open(text, at, arena);
    Str key;
    int members = 0, dicts = 0;
    bool record = false;
    if (literal_enter(&reader, '{'))
        while (literal_member(&reader, &key)) {
            Literal value = literal_value(&reader);
            dicts += value.kind == LITERAL_OBJECT;
            record = record || str_ends(key, STR("loss"));
            members++;
            if ((value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY) &&
                !literal_skip(&reader))
                break;
        }
    bool good = !reader.broken && !record &&
                (dicts > 1 || members >= MEMBERS_MANY || (dicts && members >= MEMBERS_MIN));
    *end = reader.at;
    arena_release(arena);
    return good;
}

// The first one at or after `from`; SIZE_MAX: there is none.
static size_t dict_start(Str text, size_t from, size_t *end)
{
    for (size_t at = str_find_char(text, '{', from); at < text.size;
         at = str_find_char(text, '{', at + 1))
        if (is_configuration(text, at, end))
            return at;
    return SIZE_MAX;
}

typedef struct DictReading {
    LiteralReader reader;
    const char *file;
    Arena *arena;
    Config *out;
} DictReading;

static void read_dict(DictReading *at, Str path, int depth)
{
    Str key;
    while (literal_member(&at->reader, &key)) {
        Str name = path.size
                       ? str_printf(at->arena, STR_FMT "." STR_FMT, STR_ARG(path), STR_ARG(key))
                       : str_copy(at->arena, key);
        size_t from = at->reader.at;
        Literal value = literal_value(&at->reader);
        if (value.kind == LITERAL_OBJECT && config_enters(at->out, name, depth) &&
            literal_enter(&at->reader, '{')) {
            read_dict(at, name, depth + 1);
            continue;
        }
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            literal_skip(&at->reader);
        Str written = value.kind == LITERAL_TEXT
                          ? value.text
                          : str_trim(str_slice(at->reader.text, from, at->reader.at));
        config_add(at->out, at->arena,
                   (ConfigItem){.path = name, .value = written, .file = at->file});
    }
}

// The lines without what stands before each line. The launcher speaks
// without the prefix of the workers, so each line is asked for itself.
static Str plain_lines(Str text, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str rest = text, line;
    LinePrefix prefix = line_prefix_find(rest);
    rest = prefix == PREFIX_NONE ? rest : line_prefix_drop(prefix, rest, arena);
    while (rest.size && str_split(&rest, '\n', &line)) {
        size_t size = line_prefix_size(PREFIX_ACTOR, line);
        strbuf_add(&out, str_slice(line, size, line.size));
        strbuf_add_char(&out, '\n');
    }
    return strbuf_str(&out);
}

size_t config_log_settings(Str text)
{
    Arena *arena = arena_new();
    Str plain = plain_lines(str_slice(text, 0, LOOK_BYTES), arena), rest = plain, line, key, value;
    size_t found = 0;
    enum { LINES = 20000, DOTTED_MIN = 3, ARGUMENTS_MIN = 10 };
    size_t dotted = 0, arguments = 0;
    for (size_t n = 0; n < LINES && rest.size && str_split(&rest, '\n', &line); n++) {
        dotted += dotted_line(line, &key, &value);
        arguments += argument_line(str_trim(line), &key, &value);
        found += version_line(str_trim(line), &key, &value);
    }
    size_t end;
    bool any = dotted >= DOTTED_MIN || found || arguments >= ARGUMENTS_MIN;
    found = any ? dotted + found + arguments : dict_start(plain, 0, &end) != SIZE_MAX;
    arena_release(arena);
    return found;
}

void config_read_log(const char *path, Str text, Arena *arena, Config *out)
{
    Str plain = plain_lines(text, arena), rest = plain, line, key, value;
    for (uint64_t number = 1; rest.size && str_split(&rest, '\n', &line); number++) {
        bool dotted =
            dotted_line(line, &key, &value) || argument_line(str_trim(line), &key, &value);
        bool version = !dotted && version_line(str_trim(line), &key, &value);
        if (dotted || version)
            config_add(out, arena,
                       (ConfigItem){.path = key,
                                    .value = value,
                                    .section = version ? SECTION_VERSIONS : NULL,
                                    .place = STR(""),
                                    .file = path,
                                    .line = number});
    }
    for (size_t from = 0, end; (from = dict_start(plain, from, &end)) != SIZE_MAX; from = end) {
        DictReading reading = {
            .reader = literal_open(plain, from, arena), .file = path, .arena = arena, .out = out};
        if (literal_enter(&reading.reader, '{'))
            read_dict(&reading, STR(""), 0);
    }
}
