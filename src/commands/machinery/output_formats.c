// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/output_formats.h"

#include "base/path.h"
#include "base/spelling.h"
#include "base/words.h"
#include "commands/machinery/other_words.h"
#include "renderers/renderer.h"

static Str lower(Str text, Arena *arena)
{
    char *copy = str_cstr(arena, text);
    for (char *at = copy; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    return str_of(copy);
}

// Formats that share their ending with another, the names their files have in a folder.
static const struct {
    const char *format, *suffix, *file;
} named[] = {
    {"codequality", ".json", "gl-code-quality-report.json"},
    {"github", ".txt", "annotations.txt"},
    {"nodes", ".json", ""},
    {"fragment", ".html", ""},
};

static Str format_of_suffix(Str written, const OtherFormat *others, Arena *arena)
{
    Str suffix = lower(written, arena);
    const Renderer *renderer = suffix.size ? renderer_by_suffix(suffix) : NULL;
    if (renderer)
        return str_of(renderer->name);
    for (; others->name; others++)
        if (suffix.size && str_equal(suffix, str_of(others->suffix)))
            return str_of(others->name);
    return (Str){"", 0};
}

static bool is_format(Str name, const OtherFormat *others)
{
    if (renderer_by_name(name))
        return true;
    for (; others->name; others++)
        if (str_equal(name, str_of(others->name)))
            return true;
    return false;
}

Str output_format_of_file(Str path, Str given, const OtherFormat *others, Arena *arena)
{
    Str suffix = lower(path_suffix(path), arena), usual = format_of_suffix(suffix, others, arena);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        Str format = str_of(named[i].format);
        if (is_format(format, others) && str_equal(suffix, str_of(named[i].suffix)) &&
            str_equal(given, format))
            return format;
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (is_format(str_of(named[i].format), others) &&
            str_equal(path_base(path), str_of(named[i].file)) &&
            (usual.size == 0 || !str_equal(given, usual)))
            return str_of(named[i].format);
    return usual;
}

Str output_formats_known(const OtherFormat *others, bool data, bool suffixes, Arena *arena)
{
    StrBuf buf = strbuf_new(arena);
    for (size_t i = 0; !data && renderers[i]; i++)
        if (!suffixes || renderer_by_suffix(str_of(renderers[i]->suffix)) == renderers[i])
            strbuf_printf(&buf, "%s%s", buf.size ? ", " : "",
                          suffixes ? renderers[i]->suffix : renderers[i]->name);
    for (; others->name; others++) {
        const char *word = suffixes ? others->suffix : others->name;
        strbuf_printf(&buf, "%s%s", *word && buf.size ? ", " : "", word);
    }
    return strbuf_str(&buf);
}

static bool refuse_format(Str name, const OtherFormat *others, Error *err)
{
    Arena *scratch = arena_new();
    Spelling near = spelling_of(name);
    for (size_t i = 0; renderers[i]; i++)
        spelling_offer(&near, str_of(renderers[i]->name));
    for (size_t i = 0; others[i].name; i++)
        spelling_offer(&near, str_of(others[i].name));
    Str other = other_word(OTHER_FORMAT, name, 0);
    if (other.size && is_format(other, others))
        near.best = other;
    error_set(err, ERR_USAGE, NOWHERE, tr("--format: this command writes no '" STR_FMT "'"),
              STR_ARG(name));
    Str known = output_formats_known(others, false, false, scratch);
    if (other_comma(name).size)
        error_hint(err, "%s", tr(OTHER_COMMA_TEXT));
    else if (str_find_char(name, ' ', 0) != SIZE_MAX)
        error_hint(err, "%s", tr("formats are separated by commas: html,json"));
    else if (str_equal(name, STR("none")))
        error_hint(err, "%s", tr("--format txt -o - prints the text and writes no file"));
    else if (near.best.size)
        error_hint(err, tr("did you mean " STR_FMT "? Known are " STR_FMT), STR_ARG(near.best),
                   STR_ARG(known));
    else
        error_hint(err, tr("known are " STR_FMT), STR_ARG(known));
    arena_release(scratch);
    return false;
}

bool output_formats_check(Str formats, const OtherFormat *others, Error *err)
{
    Str rest = formats, name;
    while (str_split(&rest, ',', &name)) {
        name = str_trim(name);
        if (is_format(name, others))
            continue;
        return refuse_format(name, others, err);
    }
    return true;
}

bool output_formats_have(Str list, Str wanted)
{
    Str rest = list, name;
    while (str_split(&rest, ',', &name))
        if (str_equal(str_trim(name), wanted))
            return true;
    return false;
}
