// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/packed_inputs.h"

#include "base/file.h"
#include "base/mounts.h"
#include "base/words.h"
#include "read/archive/gzip.h"
#include "read/archive/tar.h"
#include "read/archive/zip_archive.h"
#include "read/dump/place_name.h"

static bool ends_nocase(Str text, Str ending)
{
    return text.size > ending.size &&
           str_equal_nocase(str_slice(text, text.size - ending.size, text.size), ending);
}

static bool is_packed_name(Str name)
{
    bool readable;
    return archive_stem(name, &readable).size && readable;
}

// A folder called so tells neither a step nor a rank nor a stage.
static bool means_nothing(Str name)
{
    static const char *const words[] = {"step", "rank", "proc", "pid", "pass", NULL};
    for (size_t i = 0; words[i]; i++)
        if (str_find(name, str_of(words[i]), 0) != SIZE_MAX)
            return false;
    return !stage_is_known(name);
}

// A .gz of a single file; its reader unpacks it.
static bool is_single(Str path, Str bytes)
{
    char head[TAR_BLOCK] = "";
    if (!ends_nocase(path, STR(".gz")) || ends_nocase(path, STR(".tar.gz")))
        return false;
    return !tar_is((Str){head, gzip_begin(bytes, head, sizeof head)});
}

static bool refuse(const char *path, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("this is neither a tar archive, packed by gzip or not, nor a zip archive"));
}

static bool read_tar(Str bytes, Archive *archive, Notices *notices, Error *err)
{
    GzipEnd end = GZIP_WHOLE;
    if (gzip_is(bytes))
        end = gzip_unpack(bytes, gzip_limit(bytes.size), archive->arena, &bytes);
    if (end == GZIP_TOO_LARGE)
        return error_set(err, ERR_INPUT, WHERE_FILE(archive->path), "%s", tr(ARCHIVE_TOO_LARGE));
    if (!tar_is(bytes))
        return refuse(archive->path, err);
    if (end == GZIP_BROKEN)
        notices_partial(notices, WHERE_FILE(archive->path), "%s", tr(GZIP_BROKEN_TEXT));
    tar_read(bytes, archive, notices);
    return true;
}

// What is mounted stays mapped until the program ends.
static bool open_archive(Str path, Notices *notices, Error *err)
{
    Arena *arena = arena_new();
    Archive *archive = ARENA_NEW(arena, Archive);
    *archive = (Archive){.path = str_cstr(arena, path), .arena = arena};
    File file;
    if (!file_open(archive->path, &file, err)) {
        arena_release(arena);
        return false;
    }
    bool single = is_single(path, file.text);
    bool zip = str_starts(file.text, STR("PK"));
    bool good = !single && (zip ? zip_archive_read(file.text, gzip_limit(file.text.size), archive,
                                                   notices, err)
                                : read_tar(file.text, archive, notices, err));
    if (good) {
        archive_finish(archive, means_nothing, notices);
        mounts_add(archive);
        return true;
    }
    file_close(&file);
    arena_release(arena);
    return single;
}

// The archive is the path, or what the path leads through. One that is open already is a folder.
static bool open_path(Str path, Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    bool good = true;
    for (size_t i = 1; i <= path.size && good; i++) {
        Str part = str_slice(path, 0, i);
        if ((i < path.size && path.data[i] != '/') || !is_packed_name(part))
            continue;
        if (file_kind(str_cstr(scratch, part)) != FILE_REGULAR)
            continue;
        good = open_archive(part, notices, err);
        break;
    }
    arena_release(scratch);
    return good;
}

bool packed_input_open(Str text, Notices *notices, Error *err)
{
    Str rest = text, part;
    if (!open_path(text, notices, err))
        return false;
    while (str_split(&rest, ',', &part)) {
        size_t equals = str_find_char(part, '=', 0);
        Str behind = str_slice(part, equals == SIZE_MAX ? 0 : equals + 1, part.size);
        if (!open_path(part, notices, err) || !open_path(behind, notices, err))
            return false;
    }
    return true;
}

bool packed_inputs_open(const Options *options, Notices *notices, Error *err)
{
    for (size_t i = 0; i < options->argument_count; i++)
        if (!packed_input_open(options->arguments[i], notices, err))
            return false;
    for (size_t i = 0; i < options->count; i++)
        if ((options->values[i].spec->nature & OPTION_INPUT) &&
            !packed_input_open(options->values[i].text, notices, err))
            return false;
    return true;
}
