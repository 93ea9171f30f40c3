// SPDX-License-Identifier: Apache-2.0
#include "commands/output_guard.h"

#include <string.h>

#include "base/file.h"
#include "base/words.h"

// Files that a folder of inputs holds under fixed names.
static const char *const input_names[] = {"dump.json",  "construct.json", "stack.json",
                                          "debug.json", "statistic.csv",  "health_ckpts.json"};

static bool is_output(const OptionValue *value)
{
    static const char *const names[] = {"output", "write-mapping", "write-layer-mapping"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value->spec->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_words(const OptionValue *value)
{
    static const char *const names[] = {"title", "format", "focus", "lang"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value->spec->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_history(const OptionValue *value)
{
    return strcmp(value->spec->name, "history") == 0;
}

// "[NAME=]PATH[,PATH...]" names `path`.
static bool names_file(Str text, const char *path, Arena *scratch)
{
    Str rest = text, part;
    if (file_same(str_cstr(scratch, text), path))
        return true;
    while (str_split(&rest, ',', &part)) {
        size_t equals = str_find_char(part, '=', 0);
        Str behind = equals == SIZE_MAX ? part : str_slice(part, equals + 1, part.size);
        if (file_same(str_cstr(scratch, part), path) || file_same(str_cstr(scratch, behind), path))
            return true;
    }
    return false;
}

static bool is_input(const Options *options, const char *path, Arena *scratch)
{
    Str base = path_base(str_of(path));
    for (size_t i = 0; i < sizeof input_names / sizeof *input_names; i++)
        if (str_equal(base, str_of(input_names[i])))
            return true;
    for (size_t i = 0; i < options->argument_count; i++)
        if (names_file(options->arguments[i], path, scratch))
            return true;
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        bool path_like = value->spec->kind == OPTION_TEXT || value->spec->kind == OPTION_LIST;
        if (path_like && !is_output(value) && !is_history(value) && !is_words(value) &&
            !str_ends(str_of(value->spec->name), STR("mapping")) &&
            names_file(value->text, path, scratch))
            return true;
    }
    return false;
}

bool output_guard_file(const Options *options, const char *path, Error *err)
{
    Arena *scratch = arena_new();
    bool input = file_kind(path) == FILE_REGULAR && is_input(options, path, scratch);
    arena_release(scratch);
    return !input || error_set(err, ERR_USAGE, WHERE_FILE(path), "%s",
                               tr("this file is an input: it is not written over"));
}

static bool check_apart(const Options *options, const OptionValue *value, Error *err)
{
    for (const OptionValue *other = options->values; other < value; other++)
        if ((is_output(other) || is_history(other)) &&
            strcmp(other->spec->name, value->spec->name) != 0 &&
            str_equal(other->text, value->text) && !str_equal(value->text, STR("-")))
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("--%s and --%s name one file: '" STR_FMT "'"), other->spec->name,
                             value->spec->name, STR_ARG(value->text));
    return true;
}

bool output_guard_options(const Options *options, Arena *arena, Error *err)
{
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        if (is_output(value) && !output_guard_file(options, str_cstr(arena, value->text), err))
            return false;
        if ((is_output(value) || is_history(value)) && !check_apart(options, value, err))
            return false;
    }
    return true;
}
