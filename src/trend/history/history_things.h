// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_HISTORY_HISTORY_THINGS_H
#define VERNIER_TREND_HISTORY_HISTORY_THINGS_H

#include "trend/history/history_state.h"

// The nights of a command turned over: each thing that was judged, with its states and figures
// run by run, and what changed from one night to the next.

// One metric of a thing.
typedef struct HistoryTrack {
    Str metric;
    const HistoryFact **nights;  // by nightly run of the history; NULL: no fact
} HistoryTrack;

typedef struct HistoryThing {
    Str kind, place, name;
    int64_t position;  // in the newest night that has it
    HistoryTrack *tracks;
    size_t track_count;
    uint8_t *states;  // FactState by nightly run: the worst over its metrics
    uint32_t *began;  // by nightly run beyond tolerance: the first night of its trouble
} HistoryThing;

typedef struct HistoryThings {
    const History *history;
    HistoryThing *items;  // layers, curves, norms, objects, pairs; by position, place, name
    size_t count, capacity;
} HistoryThings;

// Trouble does not count as over in a night that was read in part or does not have a rank that the
// night of the trouble had; the state there is FACT_NONE. Things of kind "input" are no judgements
// and are left out. Cost n log n in the facts.
void history_things(const History *history, Arena *arena, HistoryThings *out);

typedef enum ThingChange {
    THING_UNKNOWN,    // no data that night
    THING_CALM,       // within tolerance, as before
    THING_NEW,        // beyond tolerance, or worse than the last time it was seen
    THING_LASTING,    // beyond tolerance as before
    THING_RECOVERED,  // within tolerance again
    THING_CHANGES
} ThingChange;
const char *thing_change_word(ThingChange change);  // "new", …; not translated

// What happened to a thing in the night at that index. Nights without data are passed over. *since
// is the index of the night with which the trouble began that lasts or has ended; else the night
// itself. In the first night nothing is new: what is beyond tolerance there lasts since then.
ThingChange history_change(const HistoryThing *thing, size_t night, size_t *since);

// The fact that tells most about a thing that night: the worst state, there the
// figure that leads (forward before backward), else the largest value. NULL
// without a fact.
const HistoryFact *history_telling_fact(const HistoryThing *thing, size_t night);

// What changed in the night at that index.
typedef struct HistoryNews {
    size_t counts[THING_CHANGES];  // of things
    bool worse;  // something is new, or the night as a whole is worse than the one before
} HistoryNews;
void history_news(const HistoryThings *things, size_t night, HistoryNews *out);

#endif
