// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_MONITOR_MONITOR_LINES_H
#define VERNIER_PICTURE_MONITOR_MONITOR_LINES_H

#include "picture/monitor/monitor_grid.h"
#include "verdict/monitor_verdict.h"

// Small multiples of one data type: a panel an object, all on one scale. The ranks are a band from
// the smallest to the largest with their median as a line; a rank with an alarm is a line of its
// own with its number; NaN and infinities are crosses on the rim; gaps stay gaps. Objects with
// alarms come first, then as many as fit, evenly chosen.
enum { MONITOR_LINES_MAX = 24 };

// `grid` is of `view`.
void monitor_lines_draw(Scene *scene, const MonitorView *view, const MonitorGrid *grid);

#endif
