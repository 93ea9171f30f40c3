// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_MONITOR_PROBE_H
#define VERNIER_TREND_MONITOR_MONITOR_PROBE_H

#include "trend/monitor/monitor_scan.h"

// The files of the gradient probe as a monitored run: types "grad_summary" (norm) and "similarity".
// Alarms by the reading rule of its manual: a similarity below 0.97 at the first step, or a drop of
// more than 0.03 from one step to the next.
#define PROBE_SIMILARITY_MIN 0.97
#define PROBE_DROP_MAX       0.03

bool probe_scan(const MonitorTree *tree, const MonitorSelect *select, Arena *arena, MonitorRun *out,
                Alarms *alarms, Notices *notices, Error *err);

#endif
