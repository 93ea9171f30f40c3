// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mounts.h"
#include "base/pages.h"
#include "base/text_decode.h"
#include "base/words.h"

static bool cannot_open(const char *path, Error *err)
{
    int why = errno;
    if (why == ENOENT)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no such file"));
    error_set(err, ERR_INPUT, WHERE_FILE(path), tr("cannot open the file: %s"), strerror(why));
    if (why == EACCES)
        error_hint(err, "%s", tr("it belongs to another user; ask for read permission"));
    return false;
}

static bool map(int handle, const char *path, size_t size, File *out, Error *err)
{
    void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (mapping == MAP_FAILED)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), tr("cannot map the file: %s"),
                         strerror(errno));
    posix_madvise(mapping, size, POSIX_MADV_SEQUENTIAL);
    *out = (File){.text = {mapping, size}, .mapping = mapping, .mapped = size};
    return true;
}

// False where there is no memory or the system does not read; nothing is kept then.
static bool load(int handle, size_t size, File *out)
{
    char *block = pages_map(size);
    size_t at = 0;
    ssize_t got = block ? 1 : -1;
    while (got > 0 && at < size) {
        got = read(handle, block + at, size - at);
        at += got > 0 ? (size_t)got : 0;
    }
    // A file that was cut meanwhile is as long as what was read.
    bool good = got >= 0 && at > 0;
    if (good)
        *out = (File){.text = {block, at}, .mapping = block, .loaded = size};
    else if (block)
        pages_unmap(block, size);
    return good;
}

// Text as UTF-8 without a mark, whoever wrote it.
static bool decode(const char *path, File *file, Error *err)
{
    if (!text_is_wide(file->text)) {
        size_t mark = text_mark(file->text);
        file->text = str_slice(file->text, mark, file->text.size);
        return true;
    }
    size_t size = (file->text.size / 2 + 1) * 3;
    char *block = pages_map(size);
    File wide = *file;
    if (!block) {
        file_close(file);
        return error_set(err, ERR_INPUT, WHERE_FILE(path), tr("cannot map the file: %s"),
                         strerror(ENOMEM));
    }
    *file = (File){{block, text_narrow(wide.text, block)}, .mapping = block, .loaded = size};
    file_close(&wide);
    return true;
}

static bool open_as(const char *path, bool whole, File *out, Error *err)
{
    const ArchiveMember *member = mounts_find(path, NULL);
    *out = (File){.text = {"", 0}};
    if (member && !member->folder) {
        out->text = member->bytes;
        return decode(path, out, err);
    }
    int handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (handle < 0)
        return cannot_open(path, err);
    struct stat about;
    bool good = fstat(handle, &about) == 0;
    if (!good)
        cannot_open(path, err);
    else if (!S_ISREG(about.st_mode))
        good = error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("not a regular file"));
    else if (about.st_size > 0) {
        size_t size = (size_t)about.st_size;
        bool loads = whole && size >= PAGES_LEAST && size <= FILE_LOAD_MOST;
        good = (loads && load(handle, size, out)) || map(handle, path, size, out, err);
    }
    close(handle);
    return good && decode(path, out, err);
}

bool file_open(const char *path, File *out, Error *err)
{
    return open_as(path, false, out, err);
}

bool file_load(const char *path, File *out, Error *err)
{
    return open_as(path, true, out, err);
}

void file_close(File *file)
{
    if (file->loaded)
        pages_unmap(file->mapping, file->loaded);
    else if (file->mapping)
        munmap(file->mapping, file->mapped);
    *file = (File){.text = {"", 0}};
}

static bool is_absence(int why)
{
    return why == ENOENT || why == ENOTDIR;
}

// Answers that stay the same when the question is repeated.
static bool is_lasting(int why)
{
    return is_absence(why) || why == EACCES || why == ELOOP || why == ENAMETOOLONG;
}

static FileKind kind_of(const char *path, int (*ask)(const char *path, struct stat *out))
{
    struct stat about;
    const ArchiveMember *member = mounts_find(path, NULL);
    if (member)
        return member->folder ? FILE_FOLDER : FILE_REGULAR;
    if (ask(path, &about) != 0)
        return is_absence(errno) ? FILE_NONE : FILE_UNKNOWN;
    if (S_ISREG(about.st_mode))
        return FILE_REGULAR;
    return S_ISDIR(about.st_mode) ? FILE_FOLDER : FILE_OTHER;
}

FileKind file_kind(const char *path)
{
    return kind_of(path, stat);
}

FileKind file_kind_unfollowed(const char *path)
{
    return kind_of(path, lstat);
}

FileKind file_kind_noted(const char *path, Notices *notices)
{
    FileKind kind = file_kind(path);
    if (kind == FILE_UNKNOWN)
        notices_partial(notices, WHERE_FILE(path), "%s", tr(FILE_UNKNOWN_TEXT));
    return kind;
}

// In archives: one member of one archive.
bool file_same(const char *a, const char *b)
{
    struct stat left, right;
    const ArchiveMember *member = mounts_find(a, NULL);
    if (member && member == mounts_find(b, NULL))
        return true;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

Str file_identity(const char *path, Arena *arena)
{
    struct stat about;
    const ArchiveMember *member = mounts_find(path, NULL);
    bool found = stat(path, &about) == 0;
    uint64_t parts[] = {found ? (uint64_t)about.st_dev : 0,
                        found ? (uint64_t)about.st_ino : (uint64_t)(uintptr_t)member, found};
    return found || member ? str_copy(arena, (Str){(const char *)parts, sizeof parts}) : STR("");
}

uint64_t file_size(const char *path)
{
    struct stat about;
    const ArchiveMember *member = mounts_find(path, NULL);
    if (member)
        return member->bytes.size;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

bool file_size_known(const char *path, uint64_t *out, Error *err)
{
    struct stat about;
    const ArchiveMember *member = mounts_find(path, NULL);
    if (member) {
        *out = member->bytes.size;
        return true;
    }
    int why = stat(path, &about) == 0 ? 0 : errno;
    *out = why == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    if (why == 0 || is_lasting(why))
        return true;
    errno = why;
    return cannot_open(path, err);
}

FileStamp file_stamp(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return (FileStamp){0};
    return (FileStamp){(uint64_t)about.st_ino, (uint64_t)about.st_size,
                       (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec};
}

static int compare_names(const void *a, const void *b)
{
    return str_compare_natural(*(const Str *)a, *(const Str *)b);
}

static int list_directory(const char *path, Arena *arena, FolderList *out)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno;
    errno = 0;  // the end and a failure look the same but for this
    for (struct dirent *entry; (entry = readdir(folder)); errno = 0) {
        Str name = str_of(entry->d_name);
        bool shadow = str_starts(name, STR("._"));  // of macOS, next to every file
        if (!shadow && !str_equal(name, STR(".")) && !str_equal(name, STR("..")))
            *ARRAY_PUSH(arena, out) = str_copy(arena, name);
    }
    int why = errno;
    closedir(folder);
    return why;
}

bool folder_list(const char *path, Arena *arena, FolderList *out, Error *err)
{
    const Archive *archive;
    const ArchiveMember *member = mounts_find(path, &archive);
    size_t at = 0;
    Str name;
    *out = (FolderList){0};
    while (member && archive_next_below(archive, member, &at, &name))
        *ARRAY_PUSH(arena, out) = name;
    int why = member ? 0 : list_directory(path, arena, out);
    if (why)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), tr("cannot read the folder: %s"),
                         strerror(why));
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare_names);
    return true;
}
