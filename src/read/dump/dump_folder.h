// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_FOLDER_H
#define VERNIER_READ_DUMP_DUMP_FOLDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// Finding the dumps below a path (docs/spec/dump-format.md §1.2): a dump.json, a rank folder, a
// step folder, a dump root, or a root with pynative/graph. Never by the order of the file system.

typedef struct DumpPlace {
    int64_t step, rank;  // from the folder names; 0 where there is none
    bool has_step, has_rank;
    const char *folder;  // holds stack.json, construct.json, dump_tensor_data
    const char *file;    // dump.json or debug.json
    Str rank_label;      // "rank0", "rank", "proc2016" or empty
    Str mode;            // "pynative", "graph" or empty
    // Ranks whose graphs are one (model/ranks/rank_merge.h), tp × pp of them; NULL: this dump
    // alone.
    const struct DumpPlace *parts;
    size_t tp, pp, vpp;
} DumpPlace;

typedef struct DumpPlaces {
    DumpPlace *items;  // by mode, step, rank
    size_t count, capacity;
} DumpPlaces;

// Which numbers to take: "0,2-5" → ranges. Empty list: all.
typedef struct NumberRange {
    int64_t first, last;
} NumberRange;
typedef struct NumberList {
    NumberRange *items;
    size_t count, capacity;
} NumberList;
bool number_list_parse(Str text, Arena *arena, NumberList *out);
bool number_list_has(const NumberList *list, int64_t number);

// Fails if the path does not exist or holds no dump. Folders that are skipped give notices.
bool folder_find_dumps(const char *path, const NumberList *steps, const NumberList *ranks,
                       Arena *arena, DumpPlaces *out, Notices *notices, Error *err);

// Places of both sides with the same (mode, step, rank). A single place on each side is a pair
// whatever its numbers; processes without rank numbers pair by position. golden or target is NULL
// for a place that only the other side has.
typedef struct PlacePair {
    int64_t step, rank;
    const DumpPlace *golden, *target;
} PlacePair;
typedef struct PlacePairs {
    PlacePair *items;  // by step, rank
    size_t count, capacity;
} PlacePairs;
void folder_pair_dumps(const DumpPlaces *golden, const DumpPlaces *target, Arena *arena,
                       PlacePairs *out);

// The place of the same mode, step and rank; where `only` that pair is compared, the only place of
// a folder whatever its numbers. NULL if there is none.
const DumpPlace *folder_find_place(const DumpPlaces *places, const PlacePair *pair, bool only);

#endif
