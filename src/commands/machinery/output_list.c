// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/output_list.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/sink.h"
#include "commands/machinery/output_guard.h"
#include "renderers/renderer.h"

enum { LIST_BYTES_MAX = 1 << 24 };

struct OutputList {
    Arena *arena;
    const char *folder, *path;
    Names *old, *made;
    pthread_mutex_t lock;  // of `made` and what it grows in
};

static void read_list(const char *path, Names *names)
{
    File file;
    Error err;
    if (file_kind(path) != FILE_REGULAR || file_size(path) > LIST_BYTES_MAX ||
        !file_open(path, &file, &err))
        return;
    Str rest = file.text, line;
    while (str_split(&rest, '\n', &line))
        if (line.size)
            names_add(names, line);
    file_close(&file);
}

OutputList *output_list_open(const char *folder, Arena *arena)
{
    OutputList *list = ARENA_NEW(arena, OutputList);
    *list = (OutputList){.arena = arena,
                         .folder = folder,
                         .path = path_join(arena, folder, STR(".vernier-files")),
                         .old = names_new(arena),
                         .made = names_new(arena),
                         .lock = PTHREAD_MUTEX_INITIALIZER};
    read_list(list->path, list->old);
    return list;
}

// One write a line: another process may add to the list at the same time.
static void append(const char *path, const char *file)
{
    Arena *scratch = arena_new();
    Str line = str_printf(scratch, "%s\n", file);
    int handle = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (handle >= 0) {
        ssize_t written = write(handle, line.data, line.size);
        (void)written;  // without the line the file stays when it is old: no harm
        close(handle);
    }
    arena_release(scratch);
}

void output_list_add(OutputList *list, const char *file)
{
    Str name = str_of(file);
    Arena *scratch = arena_new();
    bool blocked = file_kind(path_join(scratch, list->folder, name)) == FILE_FOLDER;
    arena_release(scratch);
    if (blocked)  // no file will take its place
        return;
    pthread_mutex_lock(&list->lock);
    bool known = names_find(list->made, name) != NAME_NONE;
    if (!known)
        names_add(list->made, name);
    if (!known && names_find(list->old, name) == NAME_NONE)
        append(list->path, file);
    pthread_mutex_unlock(&list->lock);
}

// ---- the end

static bool is_written_kind(Str name)
{
    static const char *const suffixes[] = {".json", ".xml", ".db", ".css"};
    Str suffix = path_suffix(name);
    bool is = suffix.size && renderer_by_suffix(suffix) != NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        is = is || str_equal(suffix, str_of(suffixes[i]));
    return is;
}

// What is not removed is no file of ours any more.
static void remove_old(const OutputList *list, const Options *options, Str name)
{
    Error err;
    struct stat about;
    Arena *scratch = arena_new();
    const char *path = path_inside(scratch, list->folder, name, &err);
    if (path && is_written_kind(name) && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        output_guard_unnamed(options, path))
        unlink(path);
    arena_release(scratch);
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const Str *)a, *(const Str *)b);
}

static void write_list(const OutputList *list, const Names *names)
{
    Error err;
    size_t count = names_count(names);
    Sink *sink = sink_file(list->path, &err);
    if (!sink)
        return;
    Arena *scratch = arena_new();
    Str *sorted = ARENA_ARRAY(scratch, Str, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = names_text(names, (NameId)(i + 1));
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < count; i++) {
        sink_str(sink, sorted[i]);
        sink_text(sink, "\n");
    }
    arena_release(scratch);
    sink_commit(sink, &err);
}

void output_list_end(OutputList *list, const Options *options, bool keep_old)
{
    bool keep = keep_old || output_guard_in_input(options, list->folder);
    Arena *scratch = arena_new();
    Names *all = names_new(scratch), *there = names_new(scratch);
    for (size_t i = 1; i <= names_count(list->made); i++)
        names_add(all, names_text(list->made, (NameId)i));
    read_list(list->path, there);
    for (size_t i = 1; i <= names_count(there); i++) {
        Str name = names_text(there, (NameId)i);
        bool stale = names_find(list->old, name) != NAME_NONE &&
                     names_find(list->made, name) == NAME_NONE && !keep;
        if (stale)
            remove_old(list, options, name);
        else
            names_add(all, name);
    }
    write_list(list, all);
    arena_release(scratch);
}
