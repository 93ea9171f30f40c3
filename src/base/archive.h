// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_ARCHIVE_H
#define VERNIER_BASE_ARCHIVE_H

#include "base/arena.h"
#include "base/notice.h"
#include "base/str.h"

// What an archive (tar, zip) holds, as a tree of folders and files in memory. Only what lies inside
// is taken: names that lead out of it, links and devices are refused, and what is refused is
// reported.

typedef struct ArchiveMember {
    Str name;  // "step0/rank0/dump.json"; of the archive itself empty
    bool folder;
    Str bytes;      // of a file
    size_t number;  // its place in the archive
} ArchiveMember;

typedef enum ArchiveRefusal {
    ARCHIVE_OUTSIDE,  // "..", an absolute path
    ARCHIVE_LINK,
    ARCHIVE_DEVICE,
    ARCHIVE_NAME,   // no name of a file, one too long, or too deep a folder
    ARCHIVE_FORM,   // sparse, encrypted, of an unknown kind
    ARCHIVE_TWICE,  // another file of the same name with other bytes follows, which counts
    ARCHIVE_REFUSALS
} ArchiveRefusal;

typedef struct Archive {
    const char *path;  // as it was typed
    Arena *arena;
    ArchiveMember *items;  // by archive_finish in the order of their names, each once
    size_t count, capacity;
    Str top;  // the folder in which all of it lies, or empty
    size_t refused[ARCHIVE_REFUSALS];
    Str first_refused[ARCHIVE_REFUSALS];
} Archive;

// The name of a packed file without the ending that tells so, "rank0" of "rank0.tar.gz"; empty of
// other names. *readable: vernier reads what is packed in that way.
Str archive_stem(Str name, bool *readable);

// `bytes` are borrowed, the name is copied. Of a name that comes twice the last one counts, as it
// does when the archive is unpacked.
void archive_add(Archive *archive, Str name, bool folder, Str bytes);
void archive_refuse(Archive *archive, ArchiveRefusal why, Str name);

// Ends the adding: sorts, adds the folders that files lie in, and tells what was refused.
// `means_nothing` says of the name of a folder that a path may do without it: where all of the
// archive lies in such a folder, paths may leave it out.
void archive_finish(Archive *archive, bool (*means_nothing)(Str name), Notices *notices);

// What stands at a path inside, "" the archive itself; with or without the folder `top`. Or NULL.
const ArchiveMember *archive_find(const Archive *archive, Str path);

// The names right below the folder `member`, each once, one call a name: starts with *at == 0.
bool archive_next_below(const Archive *archive, const ArchiveMember *member, size_t *at, Str *name);

#endif
