// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/packed_inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mounts.h"
#include "base/words.h"
#include "read/archive/gzip.h"
#include "read/archive/tar.h"
#include "read/archive/zip_archive.h"
#include "read/dump/dump_source.h"
#include "read/dump/mindspore_tree.h"
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

// A folder called so tells neither a step nor a rank nor a stage, and is not the time of a dump,
// which holds its devices.
static bool means_nothing(Str name)
{
    static const char *const words[] = {"step", "rank", "proc", "pid", "pass", NULL};
    for (size_t i = 0; words[i]; i++)
        if (str_find(name, str_of(words[i]), 0) != SIZE_MAX)
            return false;
    return !stage_is_known(name) && !(is_digit(name.data[0]) && mindspore_is_time(name));
}

// One file packed by gzip, whatever it is called.
static bool is_single(Str path, Str bytes)
{
    char head[TAR_BLOCK] = "";
    return gzip_is(bytes) && !ends_nocase(path, STR(".tar.gz")) &&
           !ends_nocase(path, STR(".tgz")) &&
           !tar_is((Str){head, gzip_begin(bytes, head, sizeof head)});
}

// The archive is then the file: its path leads to what is unpacked.
static bool add_single(Str bytes, Archive *archive, Notices *notices, Error *err)
{
    GzipEnd end = GZIP_WHOLE;
    if (gzip_is(bytes))
        end = gzip_unpack(bytes, gzip_limit(bytes.size), archive->arena, &bytes);
    if (end == GZIP_TOO_LARGE)
        return error_set(err, ERR_INPUT, WHERE_FILE(archive->path), "%s", tr(ARCHIVE_TOO_LARGE));
    if (gzip_is(bytes))
        return error_set(err, ERR_INPUT, WHERE_FILE(archive->path), "%s", tr(GZIP_TWICE_TEXT));
    if (end == GZIP_BROKEN)
        notices_partial(notices, WHERE_FILE(archive->path), "%s", tr(GZIP_BROKEN_TEXT));
    *ARRAY_PUSH(archive->arena, archive) = (ArchiveMember){.name = STR(""), .bytes = bytes};
    return true;
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

// An archive of one file is that file, unless its folders or its name say what it is of a dump.
static void reduce_to_file(Archive *archive)
{
    const ArchiveMember *only = NULL;
    for (size_t i = 0; i < archive->count; i++) {
        const ArchiveMember *member = &archive->items[i];
        if (member->folder && (member->name.size == 0 || means_nothing(path_base(member->name))))
            continue;
        if (member->folder || only || dump_is_record_name(path_base(member->name)) ||
            is_packed_name(member->name))
            return;
        only = member;
    }
    if (!only)
        return;
    ArchiveMember file = {.name = STR(""), .bytes = only->bytes};
    archive->items[0] = file;
    archive->count = 1;
    archive->top = STR("");
}

// Mounts what is packed in the bytes, or them as they are where `whole`; false with *plain: nothing
// is packed there. `through`: the input is inside of it.
static bool mount(Str bytes, bool through, bool whole, Archive *archive, bool *plain,
                  Notices *notices, Error *err)
{
    bool single = is_single(str_of(archive->path), bytes), zip = str_starts(bytes, STR("PK"));
    *plain = !single && !is_packed_name(str_of(archive->path)) && !gzip_is(bytes);
    single = single || (*plain && whole);
    bool good = single   ? add_single(bytes, archive, notices, err)
                : *plain ? false
                : zip    ? zip_archive_read(bytes, gzip_limit(bytes.size), archive, notices, err)
                         : read_tar(bytes, archive, notices, err);
    if (good && !single) {
        archive_finish(archive, means_nothing, notices);
        if (!through)
            reduce_to_file(archive);
    }
    if (good)
        mounts_add(archive);
    return good;
}

static Archive *new_archive(Str path)
{
    Arena *arena = arena_new();
    Archive *archive = ARENA_NEW(arena, Archive);
    *archive = (Archive){.path = str_cstr(arena, path), .arena = arena};
    return archive;
}

// What is mounted stays mapped until the program ends.
static bool open_archive(Str path, bool through, Notices *notices, Error *err)
{
    Archive *archive = new_archive(path);
    File file;
    bool plain = !is_packed_name(path);  // the command says what it expected
    if (file_open(archive->path, &file, err)) {
        if (mount(file.text, through, false, archive, &plain, notices, err))
            return true;
        file_close(&file);
    }
    arena_release(archive->arena);
    return plain;
}

// ---- streams

// A descriptor that the shell opened, as for <(command): its writer is there. A pipe in a folder
// may have none, and reading it would never end.
static bool is_descriptor(Str name)
{
    return str_starts(name, STR("/dev/fd/")) || str_starts(name, STR("/proc/self/fd/")) ||
           str_equal(name, STR("/dev/stdin"));
}

bool packed_input_is_stream(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 ||
           (is_descriptor(str_of(path)) && stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
}

static bool read_all(FILE *stream, const char *path, Arena *arena, Str *out, Error *err)
{
    enum { BLOCK = 1 << 16, BYTES_MAX = 1 << 30 };
    char *data = NULL;
    size_t size = 0, capacity = 0, count = 1;
    while (count && size <= BYTES_MAX) {
        if (capacity - size < BLOCK) {
            size_t more = 2 * capacity + BLOCK;
            data = arena_grow(arena, data, capacity, more);
            capacity = more;
        }
        count = fread(data + size, 1, BLOCK, stream);
        size += count;
    }
    *out = (Str){data, size};
    return size <= BYTES_MAX || error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                                          tr("more than 1 GiB comes from this pipe; give a file"));
}

// Standard input and pipes can be read once: from here on the path is a file with these bytes.
static bool open_stream(Str path, Notices *notices, Error *err)
{
    Archive *archive = new_archive(path);
    bool standard = strcmp(archive->path, "-") == 0, plain, good = false;
    FILE *stream = standard ? stdin : fopen(archive->path, "rbe");
    Str bytes;
    if (!stream)
        error_set(err, ERR_INPUT, WHERE_FILE(archive->path), "%s", tr("cannot open the pipe"));
    else
        good = read_all(stream, archive->path, archive->arena, &bytes, err) &&
               mount(bytes, false, true, archive, &plain, notices, err);
    if (stream && !standard)
        fclose(stream);
    if (!good)
        arena_release(archive->arena);
    return good;
}

static bool open_streams(Str text, Notices *notices, Error *err)
{
    Str rest = text, part;
    while (str_split(&rest, ',', &part)) {
        size_t equals = str_find_char(part, '=', 0);
        Str path = str_slice(part, equals == SIZE_MAX ? 0 : equals + 1, part.size);
        Arena *scratch = arena_new();
        const char *name = str_cstr(scratch, path);
        bool good = !packed_input_is_stream(name) || mounts_find(name, NULL) ||
                    open_stream(path, notices, err);
        arena_release(scratch);
        if (!good)
            return false;
    }
    return true;
}

// The archive is the path, or what the path leads through. One that is open already is a folder.
static bool open_path(Str path, Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    bool good = true;
    for (size_t i = 1; i <= path.size && good; i++) {
        Str part = str_slice(path, 0, i);
        if (i < path.size && (path.data[i] != '/' || !is_packed_name(part)))
            continue;
        if (mounts_find(str_cstr(scratch, part), NULL))
            break;
        if (file_kind(str_cstr(scratch, part)) != FILE_REGULAR)
            continue;
        good = open_archive(part, i < path.size, notices, err);
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
    bool watch = options_known(options, "watch") && options_given(options, "watch");
    mounts_clear();
    for (size_t i = 0; i < options->argument_count; i++)
        if ((!watch && !open_streams(options->arguments[i], notices, err)) ||
            !packed_input_open(options->arguments[i], notices, err))
            return false;
    for (size_t i = 0; i < options->count; i++)
        if ((options->values[i].spec->nature & OPTION_INPUT) &&
            (!open_streams(options->values[i].text, notices, err) ||
             !packed_input_open(options->values[i].text, notices, err)))
            return false;
    return true;
}
