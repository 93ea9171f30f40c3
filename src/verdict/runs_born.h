// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RUNS_BORN_H
#define VERNIER_VERDICT_RUNS_BORN_H

#include "verdict/runs_view.h"

// Where the runs leave the most common one first, counted: "blocks.16–19.attn" four times.

typedef struct BornPlace {
    Str name;  // numbers of like places joined: "blocks.16-19.attn"
    Str op;    // of the first run, as an example
    size_t runs;
    Str labels;      // "run3, run7"
    double largest;  // error of an output there; NaN: none known
} BornPlace;

typedef struct BornPlaces {
    BornPlace *items;  // most runs first, then by name
    size_t count, capacity;
} BornPlaces;

void runs_born(const RunsView *report, Arena *arena, BornPlaces *out);

// The same of where runs go beyond the tolerances first. None where each does so at the op at
// which it leaves, or none does at all.
void runs_beyond(const RunsView *report, Arena *arena, BornPlaces *out);

#endif
