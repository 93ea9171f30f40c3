// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/output_guard.h"

#include <string.h>

#include "base/file.h"
#include "base/mounts.h"
#include "base/words.h"
#include "read/dump/dump_source.h"

static bool has_nature(const OptionValue *value, unsigned nature)
{
    return (value->spec->nature & nature) != 0;
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
    if (dump_is_file_name(base) || str_equal(base, STR("health_ckpts.json")))
        return true;
    for (size_t i = 0; i < options->argument_count; i++)
        if (names_file(options->arguments[i], path, scratch))
            return true;
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        if (has_nature(value, OPTION_INPUT) && names_file(value->text, path, scratch))
            return true;
    }
    return false;
}

bool output_guard_file(const Options *options, const char *path, Error *err)
{
    Arena *scratch = arena_new();
    bool input = strcmp(path, "-") != 0 && file_kind(path) == FILE_REGULAR &&
                 is_input(options, path, scratch);
    arena_release(scratch);
    return !input || error_set(err, ERR_USAGE, WHERE_FILE(path), "%s",
                               tr("this file is an input: it is not written over"));
}

bool output_guard_archive(const char *path, Error *err)
{
    const Archive *archive = NULL;
    mounts_find(path, &archive);
    return !archive || error_set(err, ERR_USAGE, WHERE_FILE(path), "%s",
                                 tr("this archive is an input: it is not written over"));
}

bool output_guard_unnamed(const Options *options, const char *path)
{
    Arena *scratch = arena_new();
    bool named = is_input(options, path, scratch);
    for (size_t i = 0; i < options->count && !named; i++)
        named = names_file(options->values[i].text, path, scratch);
    arena_release(scratch);
    return !named;
}

// Whether the folder is or lies in the folder `input`.
static bool lies_in(const char *folder, Str input, Arena *scratch)
{
    const char *path = str_cstr(scratch, input);
    const char *at = folder;
    if (file_kind(path) == FILE_REGULAR)
        return false;
    while (file_kind(at) == FILE_NONE)  // the folder is made with its first file
        at = str_cstr(scratch, path_folder(str_of(at)));
    for (int depth = 0; depth < 64; depth++) {
        if (file_same(at, path))
            return true;
        if (file_same(at, "/"))
            return false;
        at = path_join(scratch, at, STR(".."));
    }
    return true;
}

bool output_guard_in_input(const Options *options, const char *folder)
{
    Arena *scratch = arena_new();
    bool in = false;
    for (size_t i = 0; i < options->argument_count && !in; i++)
        in = lies_in(folder, options->arguments[i], scratch);
    for (size_t i = 0; i < options->count && !in; i++)
        in = has_nature(&options->values[i], OPTION_INPUT) &&
             lies_in(folder, options->values[i].text, scratch);
    arena_release(scratch);
    return in;
}

static bool holds_records(const char *folder, Arena *scratch)
{
    Error quiet;
    FolderList list;
    if (!folder_list(folder, scratch, &list, &quiet))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (dump_is_record_name(list.items[i]))
            return true;
    return false;
}

// A report between the files of an input would be read with them the next time. A folder that
// vernier itself wrote to holds parts of a report, or a report already.
static bool check_folder(const Options *options, const char *folder, Error *err)
{
    Arena *scratch = arena_new();
    bool mixed = file_kind(folder) == FILE_FOLDER &&
                 (is_input(options, folder, scratch) ||
                  (output_guard_in_input(options, folder) && holds_records(folder, scratch))) &&
                 file_kind(path_join(scratch, folder, STR(OUTPUT_LIST_NAME))) == FILE_NONE;
    arena_release(scratch);
    if (!mixed)
        return true;
    error_set(err, ERR_USAGE, WHERE_FILE(folder), "%s",
              tr("this folder is an input: a report among its files would be read with them"));
    return error_hint(err, "%s", tr("name a folder of its own after -o"));
}

static bool check_apart(const Options *options, const OptionValue *value, Error *err)
{
    for (const OptionValue *other = options->values; other < value; other++)
        if (has_nature(other, OPTION_OUTPUT | OPTION_UPDATED) &&
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
        const char *path = str_cstr(arena, value->text);
        if (has_nature(value, OPTION_OUTPUT) &&
            (!output_guard_file(options, path, err) || !check_folder(options, path, err)))
            return false;
        if (has_nature(value, OPTION_OUTPUT | OPTION_UPDATED) && !check_apart(options, value, err))
            return false;
    }
    return true;
}
