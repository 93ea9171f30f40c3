// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_MONITOR_RUN_H
#define VERNIER_MODEL_RUN_MONITOR_RUN_H

#include "base/names.h"
#include "read/monitor/monitor_rows.h"

// The series of one monitored run: what every rank recorded about every object, step by step.

// The data types of the monitor in the order of one training step.
typedef struct MonitorTypeInfo {
    const char *name;   // file prefix: "grad_reduced"
    const char *task;   // in tags: "post_grad"
    int msprobe_phase;  // of anomaly_analyse.json: 0 forward, 1 backward, 2 optimizer, -1 others
    int phase;          // the same with weights and communication in their place
    bool hook;          // has metrics of its own: all are kept, not only the norm
} MonitorTypeInfo;

// Unknown prefixes give a record for "other".
const MonitorTypeInfo *monitor_type_info(Str type);
size_t monitor_type_order(Str type);  // place of a type in a step, for sorting

// The type of a row: the file's kind, or kind and scope in the second generation.
Str monitor_type_of(Str kind, Str scope);

// The types that files of a kind hold, one by one from *at = 0 on; false: no more.
bool monitor_type_next(Str kind, size_t *at, Str *out);

// The number after "layers.", "layer.", "blocks.", "h.", else the first part that is a number; -1.
int64_t monitor_layer(Str name);

// What two frameworks have in common of a name: from its last "layers." (or "layer.") on, without
// one from "embedding", "final…", "output…" or "norm…" on, else the name itself.
Str monitor_tail(Str name);

// What a series is about.
typedef struct MonitorObject {
    NameId type, name, op;
    int64_t stage, micro;  // MONITOR_NONE: none
} MonitorObject;

typedef struct MonitorPoint {
    uint32_t step;  // index into MonitorRun.steps
    double value;
} MonitorPoint;

typedef struct MonitorSeries {
    MonitorObject object;
    int64_t rank;
    uint32_t order;  // of the object in the network: rows of a picture go by it
    uint32_t call;   // place of the row among those of its type in one step, from 0
    bool quantised;  // too few digits were written to judge it
    double unit;     // one unit of the last decimal that was written; 0: unrounded
    const MonitorPoint *points;
    size_t count;
} MonitorSeries;

typedef struct MonitorRun {
    Arena *arena;
    Names *names;
    Str name;  // as shown
    const char *path;
    const int64_t *steps;  // sorted
    size_t step_count;
    const int64_t *ranks;  // sorted
    size_t rank_count;
    const Str *types;  // by monitor_type_order
    size_t type_count;
    Names *statistics;      // "weight_grad.max", also those that are no series; or NULL
    MonitorSeries *series;  // by type, order, micro step, op, rank
    size_t series_count;
    size_t object_count;  // distinct (stage, name)
    bool overlap;  // steps overlap_first … overlap_last were written again by a later start
    int64_t overlap_first, overlap_last;
    uint64_t row_count, byte_count, file_count;
} MonitorRun;

Str monitor_series_type(const MonitorRun *run, const MonitorSeries *series);
Str monitor_series_name(const MonitorRun *run, const MonitorSeries *series);
Str monitor_series_op(const MonitorRun *run, const MonitorSeries *series);

// Index of a step in `steps`, or SIZE_MAX.
size_t monitor_step_index(const MonitorRun *run, int64_t step);

#endif
