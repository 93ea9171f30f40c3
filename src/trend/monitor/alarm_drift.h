// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_ALARM_DRIFT_H
#define VERNIER_TREND_MONITOR_ALARM_DRIFT_H

#include "trend/monitor/alarm.h"

// The sound rule on the magnitude of each series (docs/monitor.md): the logarithm of its ratio to
// the median of the last 11 accepted values, in units of the robust scale of such relative
// residuals. It fires up and down, on a collapse to zero and on an infinity; it knows the rounding
// of the file; a lasting change of level is one event. A smaller jump fires if the other ranks do
// not share it.
//
// Adds ALARM_DRIFT alarms in the order of the series; with `nan_too` on NaN as well. Linear in the
// points.
void alarms_add_drift(const MonitorRun *run, bool nan_too, int jobs, Alarms *alarms);

// Limits, for the legend.
#define DRIFT_SCALES       6.0   // robust scales away
#define DRIFT_SCALES_EARLY 12.0  // while fewer than 22 residuals are known
#define DRIFT_FACTOR       2.0   // and by this factor
#define DRIFT_RANK_SCALES  8.0   // for a jump that the other ranks do not share
#define DRIFT_RANK_FACTOR  1.5
enum { DRIFT_FIRST_JUDGED = 8, DRIFT_FULL_HISTORY = 22, DRIFT_RANKS_MIN = 4 };

#endif
