// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/output_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sink.h"
#include "base/words.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/output_guard.h"
#include "commands/machinery/output_list.h"

struct OutputLock {
    pthread_mutex_t mutex;
    const char *path;  // NULL: not taken
    int handle, at_end;
    bool alone, refused;
    Arena *arena;
};

OutputLock *output_lock_new(Arena *arena)
{
    OutputLock *lock = ARENA_NEW(arena, OutputLock);
    *lock = (OutputLock){.mutex = PTHREAD_MUTEX_INITIALIZER, .handle = -1, .arena = arena};
    return lock;
}

static bool is_part(const Options *options)
{
    return options_known(options, "shard") && options_given(options, "shard");
}

// The command of this run with another folder after -o.
static void hint_folder(const char *folder, const Options *options, Error *err)
{
    Arena *scratch = arena_new();
    Str *words = ARENA_ARRAY(scratch, Str, options->word_count + 2);
    size_t count = 0, size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    for (size_t i = 0; i < options->word_count; i++) {
        const OptionValue *own = NULL;
        for (size_t k = 0; k < options->count && !own; k++)
            if (options->values[k].word == i && (options->values[k].spec->nature & OPTION_OUTPUT))
                own = &options->values[k];
        if (own && str_equal(own->text, str_of(folder)))
            i = own->word_end - 1;
        else
            words[count++] = options->words[i];
    }
    words[count++] = STR("-o");
    words[count++] = str_printf(scratch, "%.*s-2/", (int)size, folder);
    error_hint(err, tr("wait for it, or give this run a folder of its own: " STR_FMT),
               STR_ARG(command_join(words, count, scratch)));
    arena_release(scratch);
}

// A file of the name that nobody has removed since it was opened; -1: there is none to be locked.
static int open_locked(const char *path, bool shared, bool *held_by_other)
{
    enum { ATTEMPTS = 100 };
    struct stat opened, there;
    int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    for (int i = 0; i < ATTEMPTS; i++) {
        int handle = open(path, flags, 0666);
        if (handle < 0)
            return -1;
        if (flock(handle, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
            *held_by_other = errno == EWOULDBLOCK;
            close(handle);
            return -1;
        }
        if (fstat(handle, &opened) == 0 && lstat(path, &there) == 0 &&
            opened.st_ino == there.st_ino && opened.st_dev == there.st_dev)
            return handle;
        close(handle);
    }
    return -1;
}

static bool is_own(void *context, Str name)
{
    (void)context;
    return output_list_is_kind(name) || str_equal(name, STR(OUTPUT_LIST_NAME));
}

static void take(OutputLock *lock, const char *folder, const Options *options)
{
    const char *path = path_join(lock->arena, folder, STR(".vernier-lock"));
    lock->alone = !is_part(options);
    lock->handle = open_locked(path, !lock->alone, &lock->refused);
    lock->path = path;
    lock->at_end = lock->handle >= 0 && lock->alone ? sink_remove_at_end(path) : -1;
    if (lock->handle >= 0 && lock->alone)
        sink_remove_abandoned(folder, is_own, NULL);
}

bool output_lock_take(OutputLock *lock, const char *folder, const Options *options, Error *err)
{
    pthread_mutex_lock(&lock->mutex);
    if (!lock->path)
        take(lock, folder, options);
    bool refused = lock->refused;
    pthread_mutex_unlock(&lock->mutex);
    if (!refused)
        return true;
    error_set(err, ERR_OUTPUT, WHERE_FILE(folder), "%s",
              tr("another run is writing into this folder; nothing of it is touched"));
    hint_folder(folder, options, err);
    return false;
}

void output_lock_end(OutputLock *lock)
{
    // Others that share it go on; the last one alone removes the file.
    if (lock->handle >= 0 && (lock->alone || flock(lock->handle, LOCK_EX | LOCK_NB) == 0))
        unlink(lock->path);
    if (lock->handle >= 0)
        close(lock->handle);
    sink_keep_at_end(lock->at_end);
    lock->handle = lock->at_end = -1;
    lock->path = NULL;
}
