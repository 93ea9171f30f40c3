// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_FOLDER_H
#define VERNIER_READ_DUMP_DUMP_FOLDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/number_list.h"
#include "read/dump/dump_place.h"
#include "read/dump/place_pairs.h"

// Finding the dumps below a path (docs/spec/dump-format.md §1.2): a dump.json, a rank folder, a
// step folder, a dump root, or a root of stages: pynative/ and graph/, step_N/STAGE/step0/rank0 of
// verl, STAGE/step0/rank0. Never by the order of the file system.

// Which dumps are looked for; empty lists: all. A place without a stage is of no named one.
typedef struct DumpSelection {
    NumberList steps, ranks;
    Str *stages;
    size_t stage_count;
} DumpSelection;

// Fails if the path does not exist, holds no dump, or is a folder of several runs (run_names.h);
// then *out has the dumps of all. Folders that are skipped give notices.
// `selection`: NULL takes all.
bool folder_find_dumps(const char *path, const DumpSelection *selection, Arena *arena,
                       DumpPlaces *out, Notices *notices, Error *err);

// The first file in the folder or anywhere below that is named like the records of a dump, or NULL:
// what else lies next to it is no input. No link is followed.
const char *folder_dump_below(const char *folder, Arena *arena);

#endif
