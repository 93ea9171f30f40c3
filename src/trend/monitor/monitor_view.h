// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_VIEW_H
#define VERNIER_TREND_MONITOR_MONITOR_VIEW_H

#include "trend/monitor/alarm.h"
#include "trend/monitor/monitor_apart.h"

// Monitored runs with what was found in them, and what that comes to.

// One run with what was found in it.
typedef struct MonitorView {
    MonitorRun run;
    Alarms alarms;  // ranked
    MonitorRules rules;
    MonitorAnomalies recorded;  // what the monitor itself wrote
    MonitorStacks stacks;
    MonitorStacks order;  // modules as they run, of module_struct.json
    size_t quantised_series;
} MonitorView;

typedef struct MonitorViews {
    MonitorView *items;
    size_t count, capacity;
    MonitorApart apart;  // of golden and target; all 0 where there are not these two
} MonitorViews;

// MONITOR_APART: no alarm, but the target lies apart from golden.
typedef enum MonitorStatus {
    MONITOR_QUIET,
    MONITOR_WEAK,
    MONITOR_APART,
    MONITOR_ALARM,
    MONITOR_STATUS_COUNT
} MonitorStatus;
MonitorStatus monitor_status(const MonitorViews *views);

// Index of the run whose alarm the verdict tells; 0 without alarms.
size_t monitor_first_view(const MonitorViews *views);

#endif
