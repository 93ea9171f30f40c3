// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_COMM_TIES_H
#define VERNIER_COMPARE_NONFINITE_COMM_TIES_H

#include "base/names.h"
#include "compare/nonfinite/trail.h"

// The ranks of a step tied together at their communications, and a clock that they share by it.
// Calls belong together that have the same channel and the same running count on each rank.

#define LINK_NONE UINT32_MAX

// One call of one rank in a communication.
typedef struct CommLink {
    uint32_t rank, call;  // index of the trail, of its call
    uint32_t next;        // of the same communication
} CommLink;

typedef struct CommTies {
    const Trail *trails;
    size_t count;
    CommLink *links;
    NameId **key_of;         // communication, by trail and call; counts up from 1
    uint32_t *first, *last;  // link by communication
    size_t key_count;
} CommTies;

// Borrows the trails. Linear in the calls.
void comm_ties_build(const Trail *trails, size_t count, Arena *arena, CommTies *out);

// Borrowed of the trails.
const CommCall *comm_ties_call(const CommTies *ties, const CommLink *link);

// A clock over all ranks: an op takes one tick, a collective ends for all members when the last one
// has come, what is received was sent before. Ranks that wait for each other in a circle (an
// incomplete dump) go on in the order of their clocks.
typedef struct CommClock {
    uint64_t **call_times;  // by trail and call
    uint64_t end;           // the largest time
} CommClock;

void comm_clock_run(const CommTies *ties, Arena *arena, CommClock *out);

// When the op at `position` (from 1) of the trail number `rank` runs, from 1.
uint64_t comm_clock_at(const CommClock *clock, const Trail *trail, size_t rank, uint32_t position);

#endif
