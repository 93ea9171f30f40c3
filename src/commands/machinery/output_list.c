// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/output_list.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/names.h"
#include "base/sink.h"
#include "base/threads.h"
#include "commands/machinery/output_guard.h"
#include "renderers/renderer.h"

enum { LIST_BYTES_MAX = 1 << 24 };

// How a file looked when the list was written: who has edited it since keeps it. A run that was
// interrupted leaves lines without that, and what they name stays.
typedef struct Stamp {
    bool known;
    uint64_t size;
    uint32_t crc32c;
} Stamp;

// What a list says: by name.
typedef struct Entries {
    Names *names;
    Stamp *items;  // by NameId - 1
    size_t count, capacity;
} Entries;

struct OutputList {
    Arena *arena;
    const char *folder, *path;
    Entries old;
    Names *made;
    pthread_mutex_t lock;  // of `made` and what it grows in
};

static void add_entry(Entries *entries, Str name, Stamp stamp, Arena *arena)
{
    NameId id = names_add(entries->names, name);
    if (id > entries->count)
        ARRAY_PUSH(arena, entries);
    assert(entries->items);
    entries->items[id - 1] = stamp;
}

// "name", or "name TAB size TAB checksum".
static void read_line(Str line, Arena *arena, Entries *out)
{
    Str name, size, crc;
    Stamp stamp = {0};
    int64_t number;
    str_split(&line, '\t', &name);
    if (str_split(&line, '\t', &size) && str_split(&line, '\t', &crc) &&
        str_to_int64(size, &number) && number >= 0) {
        stamp.size = (uint64_t)number;
        stamp.known = str_to_int64(crc, &number) && number >= 0 && number <= UINT32_MAX;
        stamp.crc32c = (uint32_t)number;
    }
    if (name.size)
        add_entry(out, name, stamp, arena);
}

static void read_list(const char *path, Arena *arena, Entries *out)
{
    File file;
    Error err;
    *out = (Entries){.names = names_new(arena)};
    if (file_kind(path) != FILE_REGULAR || file_size(path) > LIST_BYTES_MAX ||
        !file_open(path, &file, &err))
        return;
    Str rest = file.text, line;
    while (str_split(&rest, '\n', &line))
        read_line(line, arena, out);
    file_close(&file);
}

OutputList *output_list_open(const char *folder, Arena *arena)
{
    OutputList *list = ARENA_NEW(arena, OutputList);
    *list = (OutputList){.arena = arena,
                         .folder = folder,
                         .path = path_join(arena, folder, STR(OUTPUT_LIST_NAME)),
                         .made = names_new(arena),
                         .lock = PTHREAD_MUTEX_INITIALIZER};
    read_list(list->path, arena, &list->old);
    return list;
}

// Opens what is there only where it is a file: a pipe in its place would stop the run for ever.
static int open_list(const char *path)
{
    struct stat about;
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int handle = open(path, flags, 0666);
    if (handle < 0 || (fstat(handle, &about) == 0 && S_ISREG(about.st_mode)))
        return handle;
    close(handle);
    return -1;
}

// One write a line: another process may add to the list at the same time.
static void append(const char *path, const char *file)
{
    Arena *scratch = arena_new();
    Str line = str_printf(scratch, "%s\n", file);
    int handle = open_list(path);
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
    if (!known && names_find(list->old.names, name) == NAME_NONE)
        append(list->path, file);
    pthread_mutex_unlock(&list->lock);
}

// ---- the end

bool output_list_is_kind(Str name)
{
    Str suffix = path_suffix(name);
    return (suffix.size && renderer_by_suffix(suffix) != NULL) ||
           STR_IN(suffix, ".json", ".xml", ".db", ".css");
}

static Stamp stamp_of(const char *path)
{
    enum { PIECE = 1 << 16 };
    unsigned char piece[PIECE];
    Stamp out = {0};
    struct stat about;
    FILE *file = lstat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return out;
    for (size_t got; (got = fread(piece, 1, PIECE, file)) > 0; out.size += got)
        out.crc32c = crc32c_more(out.crc32c, piece, got);
    out.known = !ferror(file);
    fclose(file);
    return out;
}

// A name alone does not describe whether the file is still the one that vernier wrote: it may be
// the user's, named by a list of somebody else or edited since an interrupted run. Large files are
// only read where they have the size that the list tells.
static bool is_unchanged(const char *path, const struct stat *about, const Stamp *stamp)
{
    if (!stamp->known || (uint64_t)about->st_size != stamp->size)
        return false;
    Stamp now = stamp_of(path);
    return now.known && now.size == stamp->size && now.crc32c == stamp->crc32c;
}

// What is not removed is no file of ours any more.
static void remove_old(const OutputList *list, const Options *options, Str name, const Stamp *stamp)
{
    Error err;
    struct stat about;
    Arena *scratch = arena_new();
    const char *path = path_inside(scratch, list->folder, name, &err);
    if (path && output_list_is_kind(name) && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        output_guard_unnamed(options, path) && is_unchanged(path, &about, stamp))
        unlink(path);
    arena_release(scratch);
}

static void write_list(const OutputList *list, const Entries *entries)
{
    Error err;
    size_t count = entries->count;
    Sink *sink = sink_file(list->path, &err);
    if (!sink)
        return;
    Arena *scratch = arena_new();
    Str *sorted = ARENA_ARRAY(scratch, Str, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = names_text(entries->names, (NameId)(i + 1));
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, str_order);
    for (size_t i = 0; i < count; i++) {
        const Stamp *stamp = &entries->items[names_find(entries->names, sorted[i]) - 1];
        sink_str(sink, sorted[i]);
        if (stamp->known)
            sink_printf(sink, "\t%llu\t%llu", (unsigned long long)stamp->size,
                        (unsigned long long)stamp->crc32c);
        sink_text(sink, "\n");
    }
    arena_release(scratch);
    sink_commit(sink, &err);
}

// The number after `label` in a name: 3 of "graph-step0-rank3.svg" after "-rank".
static bool number_behind(Str name, Str label, int64_t *out)
{
    size_t at = str_find(name, label, 0), end;
    if (at == SIZE_MAX)
        return false;
    at += label.size;
    for (end = at; end < name.size && name.data[end] >= '0' && name.data[end] <= '9';)
        end++;
    return str_to_int64(str_slice(name, at, end), out);
}

static bool is_given(const Options *options, const char *option)
{
    return options_known(options, option) && options_given(options, option);
}

// Whether a run that was given which `option` to take has taken what the file is about.
static bool covers(const Options *options, const char *option, Str name, Arena *scratch)
{
    Error err;
    NumberList list;
    int64_t number;
    Str label = str_printf(scratch, "-%s", option);
    return !is_given(options, option) ||
           (options_numbers(options, option, scratch, &list, &err) &&
            number_behind(name, label, &number) && number_list_has(&list, number));
}

// Of files about several places, or about the stage of one, a run that chose among them knows
// nothing: another run may have made them of what this one passed over.
static bool is_covered(const Options *options, Str name)
{
    Arena *scratch = arena_new();
    bool covered = !is_given(options, "stage") && covers(options, "step", name, scratch) &&
                   covers(options, "rank", name, scratch);
    arena_release(scratch);
    return covered;
}

// The stamps of what this run has made, by NameId - 1.
typedef struct Stamps {
    const OutputList *list;
    Stamp *items;
} Stamps;

static void take_stamp(void *context, size_t index)
{
    const Stamps *stamps = context;
    Arena *scratch = arena_new();
    Str name = names_text(stamps->list->made, (NameId)(index + 1));
    stamps->items[index] = stamp_of(path_join(scratch, stamps->list->folder, name));
    arena_release(scratch);
}

void output_list_end(OutputList *list, const Options *options, bool keep_old, int jobs)
{
    bool keep = keep_old || output_guard_in_input(options, list->folder);
    Arena *scratch = arena_new();
    Entries all = {.names = names_new(scratch)}, there;
    size_t count = names_count(list->made);
    Stamps stamps = {list, ARENA_ARRAY(scratch, Stamp, count)};
    threads_run(count, jobs, take_stamp, &stamps);
    for (size_t i = 0; i < count; i++)
        add_entry(&all, names_text(list->made, (NameId)(i + 1)), stamps.items[i], scratch);
    read_list(list->path, scratch, &there);
    for (size_t i = 0; i < there.count; i++) {
        Str name = names_text(there.names, (NameId)(i + 1));
        if (names_find(list->made, name) != NAME_NONE)
            continue;
        bool stale =
            names_find(list->old.names, name) != NAME_NONE && !keep && is_covered(options, name);
        if (stale)
            remove_old(list, options, name, &there.items[i]);
        else
            add_entry(&all, name, there.items[i], scratch);
    }
    write_list(list, &all);
    arena_release(scratch);
}
