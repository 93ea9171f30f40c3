// SPDX-License-Identifier: Apache-2.0
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"

enum { BUFFER_BYTES = 1 << 16, OPEN_LIMIT = 64, PATH_BYTES = 4096 };

typedef enum SinkKind { SINK_FILE, SINK_STDOUT, SINK_MEMORY } SinkKind;

struct Sink {
    SinkKind kind;
    int handle;
    int failed;  // errno of the first failed write
    char *path, *temporary;
    int registered;  // place in the table of temporary files, or -1
    StrBuf memory;
    size_t used;
    char buffer[];  // of files and standard output: BUFFER_BYTES
};

// Paths that a signal handler or the end of the program has to remove. A place is taken by setting
// `used` last and given back by clearing it, so that whole paths only are seen. These stand side by
// side: the end of every program looks at them, and memory that nobody else touched is slow to get.
static struct {
    atomic_int used[OPEN_LIMIT];
    char path[OPEN_LIMIT][PATH_BYTES];
} temporaries;
static pthread_mutex_t temporaries_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ending;   // no new files from here on
static atomic_int opening;  // threads between their look at `ending` and a file that is there

int sink_remove_at_end(const char *path)
{
    int place = -1;
    if (strlen(path) >= PATH_BYTES)
        return place;
    pthread_mutex_lock(&temporaries_lock);
    for (int i = 0; i < OPEN_LIMIT && place < 0; i++) {
        if (!atomic_load(&temporaries.used[i])) {
            memcpy(temporaries.path[i], path, strlen(path) + 1);
            atomic_store(&temporaries.used[i], 1);
            place = i;
        }
    }
    pthread_mutex_unlock(&temporaries_lock);
    return place;
}

void sink_keep_at_end(int place)
{
    if (place >= 0)
        atomic_store(&temporaries.used[place], 0);
}

// Another thread may be just about to make its file: its thread takes no signals meanwhile (see
// open_unless_ending), so that it comes to its end while this one waits. Not for ever: the call may
// hang with a file server.
static void wait_for_openings(void)
{
    enum { WAITS = 2000 };  // of a millisecond
    for (int i = 0; i < WAITS && atomic_load(&opening) > 0; i++)
        poll(NULL, 0, 1);
}

void sink_remove_all_temporary(void)
{
    atomic_store(&ending, 1);
    wait_for_openings();
    for (int i = 0; i < OPEN_LIMIT; i++)
        if (atomic_load(&temporaries.used[i]))
            unlink(temporaries.path[i]);
}

static Sink *sink_new(SinkKind kind)
{
    Sink *sink = malloc(sizeof *sink + (kind == SINK_MEMORY ? 0 : BUFFER_BYTES));
    if (sink) {
        *sink = (Sink){.kind = kind, .handle = -1, .registered = -1};
        return sink;
    }
    out_of_memory();
}

// A name next to `path` that no other process or thread uses at this time.
static char *temporary_name(const char *path)
{
    static atomic_uint files;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    size_t size = strlen(path) + 64;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.%.150s.%lx-%x-%lx", folder, path, path + folder, (long)getpid(),
                 atomic_fetch_add(&files, 1), (unsigned long)now.tv_nsec);
    return name;
}

// Makes the file, unless the program is about to end: then -1, or the file is there before the
// temporary files are removed.
static int open_unless_ending(const char *path)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&opening, 1);
    int handle = -1;
    if (atomic_load(&ending))
        errno = ECANCELED;
    else
        handle = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    atomic_fetch_sub(&opening, 1);
    int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return handle;
}

// Makes the temporary file; never through a link. Its name is known to the signal handlers before
// it is there, so that no moment is left at which it could stay.
static bool open_temporary(Sink *sink)
{
    enum { ATTEMPTS = 100 };
    for (int i = 0; i < ATTEMPTS; i++) {
        free(sink->temporary);
        sink->temporary = temporary_name(sink->path);
        if (!sink->temporary)
            return false;
        sink->registered = sink_remove_at_end(sink->temporary);
        sink->handle = open_unless_ending(sink->temporary);
        if (sink->handle >= 0) {
            flock(sink->handle, LOCK_EX | LOCK_NB);  // for as long as the process lives
            return true;
        }
        sink_keep_at_end(sink->registered);
        if (errno != EEXIST)
            return false;
    }
    return false;
}

// The number in hexadecimal digits at the end of *text, after `mark`, which are cut off.
static bool cut_number(Str *text, char mark, unsigned long *out)
{
    size_t at = text->size;
    unsigned long value = 0, place = 1;
    for (; at && text->size - at < 16; at--, place *= 16) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, text->data[at - 1]);
        if (!digit || !*digit)
            break;
        value += (unsigned long)(digit - digits) * place;
    }
    if (at == text->size || at == 0 || text->data[at - 1] != mark)
        return false;
    *text = str_slice(*text, 0, at - 1);
    *out = value;
    return true;
}

// Of a name that temporary_name makes: what the file would have been called; empty: another name.
static Str name_meant(Str temporary, long *process)
{
    unsigned long time, file, id;
    if (!str_starts(temporary, STR(".")) || !cut_number(&temporary, '-', &time) ||
        !cut_number(&temporary, '-', &file) || !cut_number(&temporary, '.', &id))
        return (Str){"", 0};
    *process = (long)id;
    return str_slice(temporary, 1, temporary.size);
}

// Of this user, and of no process that is alive, here or, where the file system locks, elsewhere.
static void remove_abandoned(const char *path, long process)
{
    struct stat about;
    if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
        return;
    int handle = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (handle < 0)
        return;
    if (fstat(handle, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        flock(handle, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(handle);
}

void sink_remove_abandoned(const char *folder, bool (*is_own)(void *context, Str name),
                           void *context)
{
    Error err;
    FolderList list;
    Arena *scratch = arena_new();
    bool listed = folder_list(folder, scratch, &list, &err);
    for (size_t i = 0; listed && i < list.count; i++) {
        long process = 0;
        Str name = name_meant(list.items[i], &process);
        if (name.size && is_own(context, name))
            remove_abandoned(path_join(scratch, folder, list.items[i]), process);
    }
    arena_release(scratch);
}

// A device or a pipe must not become a file: renaming would put one in its place.
static bool can_be_replaced(const char *path)
{
    struct stat about;
    return lstat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISLNK(about.st_mode) ||
           S_ISDIR(about.st_mode);
}

Sink *sink_file(const char *path, Error *err)
{
    if (!can_be_replaced(path)) {
        error_set(err, ERR_OUTPUT, WHERE_FILE(path), "%s",
                  tr("this is a device or a pipe, not a file; it is left as it is"));
        return NULL;
    }
    Sink *sink = sink_new(SINK_FILE);
    sink->path = strdup(path);
    if (sink->path && open_temporary(sink))
        return sink;
    error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write here: %s"), strerror(errno));
    free(sink->path);
    free(sink->temporary);
    free(sink);
    return NULL;
}

Sink *sink_stdout(void)
{
    Sink *sink = sink_new(SINK_STDOUT);
    sink->handle = STDOUT_FILENO;
    return sink;
}

Sink *sink_memory(Arena *arena)
{
    Sink *sink = sink_new(SINK_MEMORY);
    sink->memory = strbuf_new(arena);
    return sink;
}

static void write_all(Sink *sink, const char *bytes, size_t size)
{
    while (size && !sink->failed) {
        ssize_t written = write(sink->handle, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            sink->failed = written < 0 ? errno : EIO;
            return;
        }
        bytes += written;
        size -= (size_t)written;
    }
}

static void flush(Sink *sink)
{
    write_all(sink, sink->buffer, sink->used);
    sink->used = 0;
}

void sink_write(Sink *sink, const void *bytes, size_t size)
{
    if (sink->kind == SINK_MEMORY) {
        strbuf_add(&sink->memory, (Str){bytes, size});
        return;
    }
    if (size > BUFFER_BYTES - sink->used)
        flush(sink);
    if (size >= BUFFER_BYTES) {
        write_all(sink, bytes, size);
        return;
    }
    memcpy(sink->buffer + sink->used, bytes, size);
    sink->used += size;
}

void sink_str(Sink *sink, Str text)
{
    if (text.size)
        sink_write(sink, text.data, text.size);
}

void sink_text(Sink *sink, const char *text)
{
    sink_write(sink, text, strlen(text));
}

void sink_printf(Sink *sink, const char *format, ...)
{
    char small[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (size >= 0 && (size_t)size < sizeof small) {
        sink_write(sink, small, (size_t)size);
    } else if (size > 0) {
        char *large = malloc((size_t)size + 1);
        if (large) {
            vsnprintf(large, (size_t)size + 1, format, again);
            sink_write(sink, large, (size_t)size);
            free(large);
        } else {
            sink->failed = ENOMEM;
        }
    }
    va_end(again);
}

const char *sink_path(Sink *sink)
{
    return sink->kind == SINK_FILE && sink->used == 0 ? sink->temporary : NULL;
}

static void sink_free(Sink *sink)
{
    sink_keep_at_end(sink->registered);
    free(sink->path);
    free(sink->temporary);
    free(sink);
}

bool sink_commit(Sink *sink, Error *err)
{
    const char *path = sink->path ? sink->path : "-";
    bool good = true;
    if (sink->kind != SINK_MEMORY)
        flush(sink);
    if (sink->kind == SINK_FILE) {
        if (close(sink->handle) != 0 && !sink->failed)
            sink->failed = errno;
        if (!sink->failed && !can_be_replaced(path))
            sink->failed = EEXIST;
        if (!sink->failed && rename(sink->temporary, sink->path) != 0)
            sink->failed = errno;
        if (sink->failed)
            unlink(sink->temporary);
    }
    if (sink->failed) {
        good = error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot write the file: %s"),
                         strerror(sink->failed));
        if (sink->failed == ENOSPC)
            error_hint(err, "%s", tr("the disk is full; free some space or choose another -o"));
    }
    sink_free(sink);
    return good;
}

Str sink_bytes(const Sink *sink)
{
    return strbuf_str(&sink->memory);
}

void sink_discard(Sink *sink)
{
    if (!sink)
        return;
    if (sink->kind == SINK_FILE) {
        close(sink->handle);
        unlink(sink->temporary);
    }
    sink_free(sink);
}

static bool make_one(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool folder_make(const char *path, Error *err)
{
    char *copy = strdup(path);
    bool good = copy != NULL;
    for (char *at = copy; good && (at = strchr(at + 1, '/'));) {
        *at = '\0';
        good = make_one(copy);
        *at = '/';
    }
    good = good && make_one(path);
    int why = errno;
    free(copy);
    struct stat about;
    if (good && (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))) {
        good = false;
        why = ENOTDIR;
    }
    return good || error_set(err, ERR_OUTPUT, WHERE_FILE(path), tr("cannot make the folder: %s"),
                             strerror(why));
}
