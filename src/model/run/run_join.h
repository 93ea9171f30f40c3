// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_RUN_JOIN_H
#define VERNIER_MODEL_RUN_RUN_JOIN_H

#include "base/notice.h"
#include "model/run/series.h"
#include "read/log/log_part.h"

// Parts of one run become the run (docs/spec/curves.md §4.7): files of one process follow each
// other, a later start takes over from its first step on; processes are joined series by series,
// and a loss that is 0 at every step is a placeholder, not the loss.

// One series of one process from what its files say in their order. A falling step is a new start:
// it removes the points from there on. Falls as frequent as every fifth point are several processes
// that print into one file: then the first value that is not 0 counts. `out` may share the memory
// of a part.
typedef struct Leg {
    int64_t first, last;  // the steps written again
    double difference;    // largest |new - old| there; NaN: none
    // Of its first steps, summed up: how far they are from the old ones of the same step, and from
    // the last one before.
    double from_old, from_last;
    size_t count;
} Leg;
typedef struct Legs {
    Leg *items;
    size_t count, capacity;
    Apart apart;  // of what processes wrote in turn, those at steps that had a value already
} Legs;
void join_points(const Points *parts, size_t part_count, Arena *arena, Points *out, Legs *legs);

// Joins parts of one run and one format. `out` gets everything but name and role.
void join_run(Part *const *parts, size_t count, Arena *arena, Run *out, Notices *notices);

// Adds the series that `run` does not have from another view of the same run.
void join_view(Run *run, const Run *view, Arena *arena);

#endif
