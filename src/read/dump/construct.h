// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_CONSTRUCT_H
#define VERNIER_READ_DUMP_CONSTRUCT_H

#include "base/error.h"
#include "base/names.h"
#include "base/notice.h"

// construct.json: the recorded parent of every call (docs/spec/dump-format.md §5), unrepaired, in
// the order of the file. Duplicate keys: the last value, at the place of the first, with a notice.

typedef struct ConstructEntry {
    NameId child;
    NameId parent;       // NAME_NONE: root level (null or "")
    int32_t micro_step;  // second element of a list value, -1 without one
} ConstructEntry;

typedef struct Construct {
    ConstructEntry *entries;
    uint32_t count;
    int64_t last_micro_step;  // value of megatron_micro_step_number, -1 without it
} Construct;

// A missing, empty or `{}` file gives count 0: an L1 dump has none. A file that breaks off gives
// its complete entries, one that holds something else none, both with a partial notice: the ops of
// the dump are compared without it.
void construct_read(const char *path, Names *names, Arena *arena, Construct *out, Notices *notices);

// From bytes in memory, for tests and fuzzing; `path` is only named in messages. False: no object.
bool construct_read_text(const char *path, Str text, Names *names, Arena *arena, Construct *out,
                         Notices *notices, Error *err);

#endif
