// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_MONITOR_VERDICT_H
#define VERNIER_VERDICT_MONITOR_VERDICT_H

#include "scene/report.h"
#include "trend/monitor/monitor_view.h"
#include "verdict/history_text.h"

// What `vernier monitor` says.

typedef struct MonitorSummary {
    const char *version;
    const MonitorViews *views;
    const Verdict *verdict;
    const MonitorDifferences *differences;  // NULL: not two runs
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} MonitorSummary;
void monitor_verdict(const MonitorViews *views, bool partial, Arena *arena, Verdict *out);

// Of one picture: `out` says the alarm `told` and the `first` where that is another one, or that
// there is none in `type` of the run `of` and what was found elsewhere, of which `out` holds the
// verdict. The context stays.
void monitor_alarm_verdict(const Alarm *told, const Alarm *first, Arena *arena, Verdict *out);
void monitor_no_alarm_verdict(const MonitorViews *views, const MonitorView *of, Str type,
                              Arena *arena, Verdict *out);

// "4 ranks x 30 steps, 38 names"
Str monitor_extent(size_t ranks, size_t steps, size_t names, Arena *arena);

#endif
