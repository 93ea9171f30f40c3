// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MERGE_MERGE_SHARDS_H
#define VERNIER_COMMANDS_MERGE_MERGE_SHARDS_H

#include "export/shard/shard.h"

// The parts of one run, found and put side by side. What is missing, broken, doubled or of another
// run is named and costs only itself.

// A shard file and the folder that holds it and the files of its pairs.
typedef struct ShardSource {
    const char *folder, *file;
    Shard shard;
    Str run;         // shard_run
    uint64_t bytes;  // of the shard file, with its checksum, to know one that was copied
    uint32_t crc32c;
} ShardSource;

typedef struct ShardSet {
    const ShardSource **parts;  // by part - 1; NULL: missing
    uint32_t part_count;
    const Shard *any;  // one that is there, for what all agree on
} ShardSet;

typedef struct ShardPaths {
    Str *items;
    size_t count, capacity;
} ShardPaths;

// The shard files that a path names: itself, those of a folder, or those of its folders. False if
// there is none; `out` is appended to.
bool merge_find_shards(Str path, Arena *arena, ShardPaths *out, Error *err);

// Fails if none can be used: then *err is the reason of the first.
bool merge_read_shards(const ShardPaths *paths, const char *version, Arena *arena, ShardSet *out,
                       Notices *notices, Error *err);

#endif
