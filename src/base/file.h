// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_FILE_H
#define VERNIER_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/path.h"
#include "base/str.h"

// Reading files and folders, also those in an archive of this run (base/mounts.h). Only regular
// files are opened: a FIFO, device or socket is refused.

// The bytes of a file, mapped; `text` is valid until file_close. Text is UTF-8 without a mark,
// whatever the file holds (base/text_decode.h).
typedef struct File {
    Str text;
    void *mapping;  // NULL: empty file, or one in an archive
    size_t mapped;  // bytes of the file
    size_t loaded;  // bytes of memory that it was read into; 0: it is mapped
} File;

bool file_open(const char *path, File *out, Error *err);
// The same for a file that is read as a whole: up to FILE_LOAD_MOST bytes are in memory of their
// own, in large pages, which is several times cheaper than to map them.
bool file_load(const char *path, File *out, Error *err);
#define FILE_LOAD_MOST ((size_t)64 << 20)
void file_close(File *file);

// FILE_NONE: does not exist. FILE_UNKNOWN: the system failed to say (a bad disk, a server that is
// gone); whoever looks for something leaves such a thing out only with a notice.
typedef enum FileKind { FILE_NONE, FILE_REGULAR, FILE_FOLDER, FILE_OTHER, FILE_UNKNOWN } FileKind;
#define FILE_UNKNOWN_TEXT TR("the system could not say what this is; it is left out")
FileKind file_kind(const char *path);  // follows symbolic links
// The same of a link itself, which is FILE_OTHER.
FileKind file_kind_unfollowed(const char *path);
// As file_kind; FILE_UNKNOWN is noted and the input partial.
FileKind file_kind_noted(const char *path, Notices *notices);

// Whether both paths lead to one file or folder.
bool file_same(const char *a, const char *b);

// The bytes that all paths to one file or folder have in common, and no others; empty where it
// cannot be found.
Str file_identity(const char *path, Arena *arena);

// Size in bytes of a regular file, else 0.
uint64_t file_size(const char *path);

// The same, where a size that the system fails to say must not pass for 0.
bool file_size_known(const char *path, uint64_t *out, Error *err);

// What changes when a file is written; all zero in an archive, which stays as it was read.
typedef struct FileStamp {
    uint64_t inode, size;
    int64_t second, nanosecond;
} FileStamp;
FileStamp file_stamp(const char *path);

// The names in a folder without ".", ".." and "._x", in natural order (rank2 before rank10), never
// in the order of the file system.
typedef struct FolderList {
    Str *items;
    size_t count, capacity;
} FolderList;
bool folder_list(const char *path, Arena *arena, FolderList *out, Error *err);

#endif
