// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_LOCATE_H
#define VERNIER_COMPARE_NONFINITE_LOCATE_H

#include "compare/nonfinite/comm_ties.h"

// Where the first NaN or Inf of a step is born over all ranks, and how communication carried it:
// the trails of all ranks, tied together at their collectives and transfers.

typedef struct Origin {
    int64_t step, rank;
    const Sighting *sighting;
    BirthKind kind;  // of the sighting, an arrival without a source made precise
    uint64_t time;   // on the clock that the ranks share
    size_t reached;  // ranks that have it from here, this one not counted
} Origin;

// Ranks that were finite until one communication brought it.
typedef struct Spread {
    Str through;  // the op on the giving rank, without direction: "Distributed.all_reduce.5"
    Str arrived;  // the op on the first rank that got it: "Distributed.recv.0"
    int64_t from_rank;
    uint32_t from_position;  // of the op on the giving rank, from 1
    uint64_t time;           // when it gave it
    int64_t *to_ranks;       // rising
    size_t to_count, capacity;
    uint32_t hop;   // 1: straight from an origin
    size_t origin;  // index in Locate.origins
} Spread;

// What became of one rank.
typedef struct RankFate {
    const Trail *trail;
    uint32_t position;  // op where trouble begins, from 1; 0: all finite
    size_t origin;      // index in origins where it was born here, else SIZE_MAX
    size_t spread;      // index in spreads where it arrived, else SIZE_MAX
} RankFate;

typedef struct Locate {
    int64_t step;
    Str stage;        // of the step, or empty
    Origin *origins;  // the first one first, by time and rank
    size_t origin_count;
    Spread *spreads;  // by hop, then by time
    size_t spread_count;
    RankFate *ranks;  // as the trails were given
    size_t rank_count;
    CommClock clock;
    uint64_t tensors, untold, unsure, healthy;  // see Trail
    bool no_communication;  // several ranks, and no dump records a communication
} Locate;

// `stage` is borrowed, and so are texts of the trails; the rest lives in `arena`. Calls of one
// communication are those with the same api, group and running count on each rank. Linear in the
// calls.
// Of several origins the first is the earliest on the clock, which counts ops and is set even at
// every communication.
void locate_step(const Trail *trails, size_t count, int64_t step, Str stage, Arena *arena,
                 Locate *out);

// "NaN" or "Inf".
const char *locate_kind_word(Nonfinite found);
const char *birth_word(BirthKind kind);     // "output", "parameter", …; not translated
const char *overflow_word(Overflow level);  // "medium", "high", "critical"; NULL for none

#endif
