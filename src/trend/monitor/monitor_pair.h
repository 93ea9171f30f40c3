// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_PAIR_H
#define VERNIER_TREND_MONITOR_MONITOR_PAIR_H

#include "model/run/monitor_run.h"

// Two monitored runs compared with each other: which series belong together, and how far they part.
// Names pair by their tail from "layers." on, so that wrappers of the two frameworks do not count.

typedef struct MonitorPairing {
    const MonitorRun *golden, *target;
    size_t *golden_of;  // by series of the target; SIZE_MAX: none
    size_t *target_of;  // by series of golden, the first of those it is the partner of
    size_t matched, golden_only, target_only;
} MonitorPairing;

// By data type, statistic, stage, micro step, rank and the tail of the name; of several the first.
void monitor_pair(const MonitorRun *golden, const MonitorRun *target, Arena *arena,
                  MonitorPairing *out);

// How the values of one data type and statistic differ over all common steps.
typedef struct MonitorDifference {
    Str type, op;
    size_t series, points;
    double median_ratio;  // of |target| / |golden|; NaN without a point
    double
        largest_ratio;  // the one whose logarithm is largest in magnitude; inf for NaN on one side
    Str name;           // where
    int64_t rank, step;
    size_t one_sided_nan;  // points that are a number on one side only
} MonitorDifference;

// An object that only one run has: none of its series has a partner. So with a statistic of a type
// that both have: its type is "weight_grad.max".
typedef struct MonitorMissing {
    bool in_golden;  // else in the target
    Str type;
    Str name;        // empty: all objects of the type, which the other run does not have as a whole
    int64_t stage;   // MONITOR_NONE: none
    size_t objects;  // 1, or those of the type
    size_t ranks;    // that hold it
} MonitorMissing;

typedef struct MonitorDifferences {
    MonitorDifference *items;  // by type
    size_t count, capacity;
    MonitorMissing *missing;  // of golden, then of the target, each in its own order
    size_t missing_count, missing_capacity;
} MonitorDifferences;

// Of each object that both hold, over all its series, and what one of them does not have.
void monitor_differences(const MonitorPairing *pairing, Arena *arena, MonitorDifferences *out);

// The value of a series at the step with that number, or the absent value.
double monitor_value_at(const MonitorRun *run, const MonitorSeries *series, int64_t step);

#endif
