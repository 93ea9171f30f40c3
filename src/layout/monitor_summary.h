// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_MONITOR_SUMMARY_H
#define VERNIER_LAYOUT_MONITOR_SUMMARY_H

#include "base/sink.h"
#include "layout/history_text.h"
#include "layout/summary.h"
#include "trend/alarm.h"
#include "trend/monitor_pair.h"

// The verdict of `vernier monitor`, its summary.json (schema "vernier.monitor/1", design.md §3) and
// the alarms in the layout of the monitor's own anomaly_analyse.json.

// One run with what was found in it.
typedef struct MonitorView {
    MonitorRun run;
    Alarms alarms;  // ranked
    MonitorRules rules;
    MonitorAnomalies recorded;  // what the monitor itself wrote
    MonitorStacks stacks;
    size_t quantised_series;
} MonitorView;

typedef struct MonitorViews {
    MonitorView *items;
    size_t count, capacity;
} MonitorViews;

typedef enum MonitorStatus { MONITOR_QUIET, MONITOR_WEAK, MONITOR_ALARM } MonitorStatus;
MonitorStatus monitor_status(const MonitorViews *views);

// Index of the run whose first alarm the verdict tells; 0 without alarms.
size_t monitor_first_view(const MonitorViews *views);

void monitor_verdict(const MonitorViews *views, bool partial, Arena *arena, Verdict *out);

typedef struct MonitorSummary {
    const char *version;
    const MonitorViews *views;
    const Verdict *verdict;
    const MonitorDifferences *differences;  // NULL: not two runs
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} MonitorSummary;
void monitor_summary_write(const MonitorSummary *summary, Sink *out);

// anomaly_analyse.json of one run: one record an alarm, in ranked order. Stage and group of a rank
// come from the records of the monitor; -1 and the rank itself where there are none.
void monitor_analyse_write(const MonitorView *view, Sink *out);

// "4 ranks x 30 steps, 38 names"
Str monitor_extent(size_t ranks, size_t steps, size_t names, Arena *arena);

// "norm of grad_reduced layers.1.mlp.w 4.0x its history, step 17, rank 2"
Str monitor_alarm_sentence(const Alarm *alarm, Arena *arena);

enum { MONITOR_JSON_ALARMS_MAX = 20000 };

#endif
