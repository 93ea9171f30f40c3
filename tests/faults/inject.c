// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Loaded before the C library (LD_PRELOAD) to let the program meet the failures that a test wants:
//     FAULT=alloc:K      allocation number K (from 1) gives NULL
//     FAULT=call:K       call K into the operating system fails with FAULT_ERRNO (default EIO)
//     FAULT=call:K-      that call and all after it
//     FAULT=write:K-     the same, counting only what puts bytes on a disk
//     FAULT=shuffle:N    folders are listed in an order that N decides
//     FAULT=kill:K       the process is killed at call number K
//     FAULT=shrink:K     mapped file number K is cut to nothing just after it was mapped
//     FAULT=stop:K       the process stops (SIGSTOP) just after it mapped file number K
//     FAULT_COUNT=FILE   at the end the number of allocations, calls and writes is written there
// Only what the program and its libraries call is counted; the dynamic loader and the C library
// itself are not, so what fwrite does in the end is beyond reach (a limit on the size of files is
// not). Names are resolved at the first call: a few allocations before that come from `early`.

#define API __attribute__((visibility("default")))

typedef enum Kind {
    KIND_NONE,
    KIND_ALLOC,
    KIND_CALL,
    KIND_WRITE,
    KIND_SHUFFLE,
    KIND_KILL,
    KIND_SHRINK,
    KIND_STOP
} Kind;

static struct {
    Kind kind;
    long at;
    int open_end, number;
    const char *count_file;
    atomic_long allocations, calls, writes;
    atomic_int ready, counting;
} plan;

static char early[1 << 16];
static atomic_size_t early_used;

// Glib and what stands on it end the program when memory is short; that is theirs to decide. Their
// allocations are not counted.
static const char *const aborting[] = {"libglib",     "libgobject",    "libpango",
                                       "libharfbuzz", "libfontconfig", "libgio"};

static void read_plan(void)
{
    static const struct {
        const char *word;
        Kind kind;
    } kinds[] = {{"alloc:", KIND_ALLOC},     {"call:", KIND_CALL}, {"write:", KIND_WRITE},
                 {"shuffle:", KIND_SHUFFLE}, {"kill:", KIND_KILL}, {"shrink:", KIND_SHRINK},
                 {"stop:", KIND_STOP}};
    const char *text = getenv("FAULT"), *number = getenv("FAULT_ERRNO");
    plan.count_file = getenv("FAULT_COUNT");
    plan.number = number ? atoi(number) : EIO;
    for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; i++) {
        size_t size = strlen(kinds[i].word);
        if (strncmp(text, kinds[i].word, size) == 0) {
            plan.kind = kinds[i].kind;
            plan.at = atol(text + size);
            plan.open_end = text[strlen(text) - 1] == '-';
        }
    }
}

static void write_counts(void)
{
    atomic_store(&plan.counting, 0);
    FILE *out = plan.count_file ? fopen(plan.count_file, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld %ld %ld\n", atomic_load(&plan.allocations), atomic_load(&plan.calls),
            atomic_load(&plan.writes));
    fclose(out);
}

__attribute__((constructor)) static void begin(void)
{
    read_plan();
    atomic_store(&plan.ready, 1);
    atomic_store(&plan.counting, 1);
}

__attribute__((destructor)) static void end(void)
{
    if (atomic_load(&plan.counting))
        write_counts();
}

static int hits(long count, Kind kind)
{
    if (plan.kind != kind)
        return 0;
    return plan.open_end ? count >= plan.at : count == plan.at;
}

// Whether the call fails; errno is set then.
static int fails(int is_write)
{
    if (!atomic_load(&plan.counting))
        return 0;
    long call = atomic_fetch_add(&plan.calls, 1) + 1;
    long write = is_write ? atomic_fetch_add(&plan.writes, 1) + 1 : 0;
    if (plan.kind == KIND_KILL && call == plan.at)
        kill(getpid(), SIGKILL);
    if (!hits(call, KIND_CALL) && !(write && hits(write, KIND_WRITE)))
        return 0;
    errno = plan.number;
    return 1;
}

static int is_aborting(const void *caller)
{
    Dl_info about;
    if (!dladdr(caller, &about) || !about.dli_fname)
        return 1;
    for (size_t i = 0; i < sizeof aborting / sizeof *aborting; i++)
        if (strstr(about.dli_fname, aborting[i]))
            return 1;
    return strstr(about.dli_fname, "libc.so") != NULL || strstr(about.dli_fname, "libasan") != NULL;
}

static int allocation_fails(const void *caller)
{
    static _Thread_local int inside;
    if (!atomic_load(&plan.counting) || inside)
        return 0;
    inside = 1;
    int counts = !is_aborting(caller);
    inside = 0;
    if (!counts || !hits(atomic_fetch_add(&plan.allocations, 1) + 1, KIND_ALLOC))
        return 0;
    errno = ENOMEM;
    return 1;
}

#define REAL(name)                             \
    static __typeof__(&name) real;             \
    if (!real) {                               \
        void *found = dlsym(RTLD_NEXT, #name); \
        memcpy(&real, &found, sizeof real);    \
    }

static void *early_alloc(size_t size)
{
    size_t at = atomic_fetch_add(&early_used, (size + 15) / 16 * 16);
    return at + size <= sizeof early ? early + at : NULL;
}

static int is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

API void *malloc(size_t size)
{
    if (!atomic_load(&plan.ready)) {
        static __typeof__(&malloc) first;
        static _Thread_local int looking;
        if (!first && !looking) {
            looking = 1;
            void *found = dlsym(RTLD_NEXT, "malloc");
            memcpy(&first, &found, sizeof first);
            looking = 0;
        }
        return first ? first(size) : early_alloc(size);
    }
    REAL(malloc)
    return allocation_fails(__builtin_return_address(0)) ? NULL : real(size);
}

API void *calloc(size_t count, size_t size)
{
    static __typeof__(&calloc) real;
    static _Thread_local int looking;
    if (!real && looking)
        return early_alloc(count * size);
    if (!real) {
        looking = 1;
        void *found = dlsym(RTLD_NEXT, "calloc");
        memcpy(&real, &found, sizeof real);
        looking = 0;
    }
    return allocation_fails(__builtin_return_address(0)) ? NULL : real(count, size);
}

API void *realloc(void *memory, size_t size)
{
    REAL(realloc)
    if (is_early(memory)) {
        void *moved = malloc(size);
        if (moved)
            memcpy(moved, memory, size);
        return moved;
    }
    return allocation_fails(__builtin_return_address(0)) ? NULL : real(memory, size);
}

API void free(void *memory)
{
    REAL(free)
    if (!is_early(memory))
        real(memory);
}

#define OPEN(name)                                                           \
    API int name(const char *path, int flags, ...)                           \
    {                                                                        \
        REAL(name)                                                           \
        va_list rest;                                                        \
        va_start(rest, flags);                                               \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;            \
        va_end(rest);                                                        \
        return fails((flags & O_CREAT) != 0) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

API int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat)
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails((flags & O_CREAT) != 0) ? -1 : real(folder, path, flags, mode);
}

// A function that gives `bad` when it fails. `bytes`: whether it needs room on the disk.
#define CALL(type, name, parameters, arguments, bad, bytes) \
    API type name parameters                                \
    {                                                       \
        REAL(name)                                          \
        return fails(bytes) ? (bad) : real arguments;       \
    }

CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, mode[0] == 'w')
CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, mode[0] == 'w')
CALL(FILE *, tmpfile, (void), (), NULL, 1)
CALL(FILE *, tmpfile64, (void), (), NULL, 1)
CALL(ssize_t, read, (int file, void *to, size_t size), (file, to, size), -1, 0)
CALL(ssize_t, pread, (int file, void *to, size_t size, off_t at), (file, to, size, at), -1, 0)
CALL(ssize_t, pread64, (int file, void *to, size_t size, off64_t at), (file, to, size, at), -1, 0)
CALL(ssize_t, pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at),
     -1, 1)
CALL(ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t at),
     (file, from, size, at), -1, 1)
CALL(int, fsync, (int file), (file), -1, 1)
CALL(int, fdatasync, (int file), (file), -1, 1)
CALL(int, ftruncate, (int file, off_t size), (file, size), -1, 1)
CALL(int, ftruncate64, (int file, off64_t size), (file, size), -1, 1)
CALL(int, rename, (const char *from, const char *to), (from, to), -1, 1)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, 1)
CALL(int, mkstemp, (char *path), (path), -1, 1)
CALL(int, mkstemp64, (char *path), (path), -1, 1)
CALL(int, fchmod, (int file, mode_t mode), (file, mode), -1, 0)
CALL(int, stat, (const char *path, struct stat *out), (path, out), -1, 0)
CALL(int, lstat, (const char *path, struct stat *out), (path, out), -1, 0)
CALL(int, fstat, (int file, struct stat *out), (file, out), -1, 0)
CALL(DIR *, opendir, (const char *path), (path), NULL, 0)

static void cut(int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (truncate(path, 0) != 0)
        abort();
}

API void *mmap(void *at, size_t size, int how, int flags, int file, off_t from)
{
    static atomic_long files;
    REAL(mmap)
    if (fails(0))
        return MAP_FAILED;
    void *mapping = real(at, size, how, flags, file, from);
    int at_file = plan.kind == KIND_SHRINK || plan.kind == KIND_STOP;
    if (!at_file || !atomic_load(&plan.counting) || file < 0 ||
        atomic_fetch_add(&files, 1) + 1 != plan.at)
        return mapping;
    if (plan.kind == KIND_SHRINK)
        cut(file);
    else
        raise(SIGSTOP);
    return mapping;
}

// Standard error may fail, but it takes no room on a disk.
API ssize_t write(int file, const void *from, size_t size)
{
    REAL(write)
    return fails(file != STDERR_FILENO) ? -1 : real(file, from, size);
}

// What is closed is gone, even where closing reports an error.
API int close(int file)
{
    REAL(close)
    int failed = fails(1), number = errno;
    int result = real(file);
    errno = failed ? number : errno;
    return failed ? -1 : result;
}

API int fclose(FILE *file)
{
    REAL(fclose)
    int failed = fails(1), number = errno;
    int result = real(file);
    errno = failed ? number : errno;
    return failed ? EOF : result;
}

API int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                       void *with)
{
    REAL(pthread_create)
    return fails(0) ? EAGAIN : real(thread, how, run, with);
}

// An ended process leaves no destructor to run.
API void _exit(int code)
{
    REAL(_exit)
    if (atomic_load(&plan.counting))
        write_counts();
    real(code);
    for (;;)
        ;
}

// A folder read whole at its first entry and given in another order.
enum { ENTRIES_MAX = 4096 };
static struct {
    DIR *folder;
    struct dirent entries[ENTRIES_MAX];
    size_t count, at;
} listing;

static void shuffle(void)
{
    unsigned long state = (unsigned long)plan.at * 2654435761u + 1;
    for (size_t i = listing.count; i > 1; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t k = (state >> 33) % i;
        struct dirent other = listing.entries[i - 1];
        listing.entries[i - 1] = listing.entries[k];
        listing.entries[k] = other;
    }
}

API struct dirent *readdir(DIR *folder)
{
    REAL(readdir)
    if (plan.kind != KIND_SHUFFLE)
        return fails(0) ? NULL : real(folder);
    if (listing.folder != folder) {
        listing.folder = folder;
        listing.count = listing.at = 0;
        for (struct dirent *entry; listing.count < ENTRIES_MAX && (entry = real(folder));)
            memcpy(&listing.entries[listing.count++], entry, entry->d_reclen);
        shuffle();
    }
    return listing.at < listing.count ? &listing.entries[listing.at++] : NULL;
}

API int closedir(DIR *folder)
{
    REAL(closedir)
    if (listing.folder == folder)
        listing.folder = NULL;
    return real(folder);
}
