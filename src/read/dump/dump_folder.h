// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_FOLDER_H
#define VERNIER_READ_DUMP_DUMP_FOLDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/number_list.h"
#include "read/dump/dump_place.h"

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

// Places of both sides with the same (step, stage, rank). A single place on each side is a pair
// whatever its numbers, but never one of two stages; processes without rank numbers pair by
// position. golden or target is NULL for a place that only the other side has.
typedef struct PlacePair {
    int64_t step, rank;
    Str stage;
    const DumpPlace *golden, *target;
} PlacePair;
typedef struct PlacePairs {
    PlacePair *items;  // by step, stage, rank
    size_t count, capacity;
} PlacePairs;
void folder_pair_dumps(const DumpPlaces *golden, const DumpPlaces *target, Arena *arena,
                       PlacePairs *out);

// The first file in the folder or anywhere below that is named like the records of a dump, or NULL:
// what else lies next to it is no input. No link is followed.
const char *folder_dump_below(const char *folder, Arena *arena);

// Whether all are of one stage, or of none.
bool folder_is_one_stage(const DumpPlaces *places);

// The place of the same step, stage and rank; where `only` that pair is compared, the only place of
// a folder whatever its numbers. NULL if there is none.
const DumpPlace *folder_find_place(const DumpPlaces *places, const PlacePair *pair, bool only);

#endif
