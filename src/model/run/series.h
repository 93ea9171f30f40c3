// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_SERIES_H
#define VERNIER_MODEL_RUN_SERIES_H

#include "read/log/log_part.h"

// A training run: its series, each with one value a step, and its events.

typedef struct Series {
    Str name;             // canonical: "loss", "grad_norm", "loss.aux_loss"
    const char *file;     // where it comes from; the last one where several follow each other
    int64_t rank;         // -1: unknown
    PointColumns points;  // x rises; NaN and infinities are values; series may share x
    size_t count;
    const int64_t *absent;  // steps whose record does not have it, rising
    size_t absent_count;
    // By point the mean of all records of its step, where nearly every step has several and these
    // say other values in no order, as processes do that print into one log; NULL: it is not so.
    const double *means;
    int64_t gap;    // a larger distance of two points is a gap; 0: 3 times the usual one
    int decimals;   // printed digits after the point, the most seen
    bool relative;  // all printed with an exponent: decimals count from the leading digit
} Series;

typedef enum RunRole { ROLE_SINGLE, ROLE_GOLDEN_RUN, ROLE_TARGET_RUN, ROLE_NOISE_RUN } RunRole;

typedef struct Run {
    Str name;
    Str loss_name;  // how the log calls the series "loss"; empty: there is none
    RunRole role;
    const char *format;
    const char *x_unit;  // "step" or "samples"
    bool is_numbered;    // its records carry no step
    bool tells_skips;    // its records count skipped steps, so that none is something that was seen
    const char **files;
    size_t file_count;
    bool has_overlap;
    int64_t overlap_first, overlap_last;  // what a later start wrote again
    // Steps of a loss in all starts, and those left, where they are fewer than half; else 0.
    uint64_t overlap_steps, overlap_left;
    Apart apart;  // losses at a step that had one, which are lastingly apart from it; else no count
    double overlap_difference;  // largest |new - old| of the loss there; NaN: nothing to compare
    Series *series;
    size_t series_count, series_capacity;
    Points times;   // when steps were logged, in seconds; x rises; only differences count
    Events events;  // by step, then kind
    NormLists norms;
    int64_t steps_per_epoch;
    const int64_t *ranks;  // of the processes that it is joined of
    size_t rank_count;
    double skip_threshold;  // NaN: not printed
    uint64_t skip_limit;
} Run;

typedef struct Runs {
    Run *items;
    size_t count, capacity;
    const LogWish *wish;  // how logs are read; NULL: as they come
} Runs;

const char *run_role_text(RunRole role);  // "golden", "noise", "target", "single"
const Series *run_series(const Run *run, const char *name);  // NULL if there is none
size_t run_event_count(const Run *run, EventKind kind);

// The value at x, or absent; logarithmic.
double series_at(const Series *series, int64_t x);

// Counts the updates that were not applied, along rising steps: those that the log says were
// skipped, and steps whose gradient overflowed. Where the log has a counter of skips, that tells
// alone.
typedef struct SkipWalk {
    const Run *run;
    size_t event;   // all before it are counted
    int64_t count;  // up to and including the last step asked for
    bool now;       // the last step asked for was not applied
} SkipWalk;
void skip_walk_to(SkipWalk *walk, int64_t step);

// Half a unit of the last printed place of such a value.
double series_resolution(const Series *series, double value);

#endif
