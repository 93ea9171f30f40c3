// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_SCAN_H
#define VERNIER_TREND_MONITOR_MONITOR_SCAN_H

#include "trend/monitor/alarm.h"
#include "trend/monitor/monitor_select.h"

// Reads all series of a monitored run once, a rank and file type at a time and these in parallel:
// keeps the norm (and all metrics of the hooks) as series and replays the monitor's own rules on
// every statistic on the way. Memory grows with the points that are kept, 16 bytes each.

// Files that cannot be used give notices. Fails if nothing is left. The run lives in `arena`.
bool monitor_scan(const MonitorTree *tree, const MonitorSelect *select, const MonitorRules *rules,
                  Arena *arena, MonitorRun *out, Alarms *alarms, Notices *notices, Error *err);

// Notes what was selected and is not there: steps and ranks of the run, types of the tree.
void monitor_note_missing(const MonitorRun *run, const MonitorTree *tree,
                          const MonitorSelect *select, Notices *notices);

#endif
