// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PLACE_PAIRS_H
#define VERNIER_READ_DUMP_PLACE_PAIRS_H

#include "base/arena.h"
#include "read/dump/dump_place.h"

// Order of two DumpPlaces, for qsort: by step, stage and rank, those with a rank first, by file.
int dump_place_compare(const void *a, const void *b);

// The same by step, stage and rank alone.
int dump_place_numbers(const DumpPlace *x, const DumpPlace *y);

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

// Whether all are of one stage, or of none.
bool folder_is_one_stage(const DumpPlaces *places);

// The place of the same step, stage and rank; where `only` that pair is compared, the only place of
// a folder whatever its numbers. NULL if there is none.
const DumpPlace *folder_find_place(const DumpPlaces *places, const PlacePair *pair, bool only);

#endif
