// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_TASK_H
#define VERNIER_TREND_MONITOR_MONITOR_TASK_H

#include "trend/monitor/alarm_msprobe.h"
#include "trend/monitor/monitor_select.h"

// The files of one rank and one file type, read in order of time: one thread's share of a scan.

// An object with its series in this task: what one line of the files is about.
typedef struct TaskObject {
    NameId type, name;
    int64_t stage, micro;
    int64_t last_step;
    size_t start;    // of the row that came last
    uint32_t call;   // place among the rows of its first step
    uint32_t next;   // object that followed it last, + 1: rows come in the same order every step
    uint64_t known;  // what the reader of the file at hand calls its name, 0: nothing
    Str raw_name, raw_scope, raw_side;
    MsprobeAlarmState *states;  // one an op
    size_t state_count;
    uint32_t *series;  // series + 1 of each op, 0: not kept
} TaskObject;
typedef struct TaskObjects {
    TaskObject *items;
    size_t count, capacity;
} TaskObjects;

typedef struct TaskSeries {
    uint32_t object;
    NameId op;
    uint32_t op_index;
    MonitorPoint *points;  // steps are indices into TaskResult.steps
    size_t count;
    size_t logged;
} TaskSeries;
typedef struct TaskSeriesList {
    TaskSeries *items;
    size_t count, capacity;
} TaskSeriesList;

// The monitor's rule fired on one statistic of one row.
typedef struct TaskHit {
    uint32_t object, op, row;  // row: counts the rows of the task
    AlarmRule rule;
    int64_t step;
    double value, history;
    bool dropped;  // a later start wrote this step again
} TaskHit;
typedef struct TaskHits {
    TaskHit *items;
    size_t count, capacity;
} TaskHits;

typedef struct Task {
    const MonitorFile *files;
    size_t given_count;
    const MonitorSelect *select;
    const MonitorRules *rules;

    Arena *arena;  // its own, released by the scan
    Notices notices;
    Names *names;
    TaskObjects objects;
    TaskSeriesList series;
    TaskHits hits;
    NameId ops[MONITOR_OPS_MAX];
    size_t op_count;
    double unit;
    int64_t *steps;  // distinct, sorted
    size_t step_count;
    uint64_t row_count, byte_count, file_count, replaced_points, empty_cells;
    uint64_t taken, untold;  // rows of the steps and types asked for; of these, without a number
    bool overlap;
    int64_t overlap_first, overlap_last;
} Task;

// Reads the files that were given and fills what comes after `arena`; tasks run side by side.
// What cannot be read is a notice.
void task_run(Task *task);

#endif
