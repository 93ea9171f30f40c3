// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_SERIES_SOURCE_H
#define VERNIER_READ_LOG_SERIES_SOURCE_H

#include "base/notice.h"
#include "read/log/log_part.h"

// One file with training series of any known kind, recognised by content.

// A kind of file. Kinds are asked in the order of the table; the first that recognises the text
// reads it. `file_rank` is the process that the file's name tells, or -1.
typedef struct SeriesKind {
    const char *name;
    bool (*recognise)(Str text, Arena *arena);
    bool (*read)(const char *path, Str text, int64_t file_rank, Arena *arena, Parts *out,
                 Notices *notices, Error *err);
} SeriesKind;

// Adds a part for each process and run of the file. Fails with the reason if the file cannot be
// opened or holds no training record.
bool series_source_read(const char *path, Arena *arena, Parts *out, Notices *notices, Error *err);

// The same from bytes in memory, for tests and fuzzing.
bool series_source_read_text(const char *path, Str bytes, Arena *arena, Parts *out,
                             Notices *notices, Error *err);

// The files to read for a path: itself, or what lies in the folder (up to 8 levels deep, at most
// 20,000 files, links not followed). Of several trainer_state.json in checkpoint-N folders only the
// one of the largest N. Fails if the path does not exist.
typedef struct SourceFiles {
    char **items;
    size_t count, capacity;
} SourceFiles;
bool series_source_files(const char *path, Arena *arena, SourceFiles *out, Notices *notices,
                         Error *err);

// The process number in a file name: "worker_7.log", "rank_7", "rank7", "x_7.log"; else in the name
// of its folder, "rank_7", or the folder itself below one of torchrun, "attempt_0/7"; else -1.
int64_t series_source_rank(const char *path);

#endif
