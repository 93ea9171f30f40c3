// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_HISTORY_HISTORY_STATE_H
#define VERNIER_TREND_HISTORY_HISTORY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// What is kept of the reports of many nights: plain facts, each about one thing (a pair, a layer, a
// curve, an alarm), so that nights can be compared with each other when their dumps are gone.

typedef enum FactState {
    FACT_NONE,       // nothing could be said that night
    FACT_CALM,       // within tolerance
    FACT_INHERITED,  // beyond tolerance, but passed on from elsewhere
    FACT_WARNING,    // a warning that starts here
    FACT_BEYOND,     // beyond tolerance, and it starts here
    FACT_STATES
} FactState;
const char *fact_state_word(FactState state);  // "calm", …; not translated

typedef struct HistoryFact {
    Str kind;    // "pair", "layer", "stage", "curve", "norm", "object", "input"
    Str place;   // "step0/rank1", "target", or empty
    Str name;    // of the layer, the series, the object
    Str metric;  // "forward", "mean_relative", …
    FactState state;
    double value;      // NaN: none
    int64_t position;  // where it is in the order of execution, for lists
    Str note;          // op of the first divergence, finding, …; not translated
} HistoryFact;

typedef struct HistoryNight {
    Str command;     // that made the report: "compare"; nights of a command are numbered
    int64_t number;  // from 1
    Str label;       // what the night is called
    Str verdict;     // the sentence in every Lang, a line each; of older programs the run's alone
    FactState state;
    bool partial;
    int64_t made;  // SOURCE_DATE_EPOCH of the run, 0 without
    HistoryFact *items;
    size_t count, capacity;
} HistoryNight;

// The nights of one command, rising by number.
typedef struct History {
    Str command;
    HistoryNight *items;
    size_t count, capacity;
    size_t left_out;  // older nights, too many to be read
} History;

typedef struct Histories {
    History *items;  // by the name of the command
    size_t count, capacity;
} Histories;

// Texts of `fact` must live as long as `arena`.
void history_add(HistoryNight *night, Arena *arena, HistoryFact fact);

// Orders the facts by kind, place, name and metric; of several about the same thing the worst
// stays.
void history_sort(HistoryNight *night);

// By kind, place, name and metric.
int history_fact_order(const HistoryFact *a, const HistoryFact *b);

// True if both have the same label and the same facts: the same inputs, judged again. Notes may be
// in another language.
bool history_same_night(const HistoryNight *a, const HistoryNight *b);

// What a night is called after the path of its run: the last part that says more than "step0",
// "rank3" or "dump.json".
Str history_label(Str path);

#endif
