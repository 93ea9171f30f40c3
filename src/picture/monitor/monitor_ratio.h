// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_MONITOR_MONITOR_RATIO_H
#define VERNIER_PICTURE_MONITOR_MONITOR_RATIO_H

#include "picture/monitor/monitor_maps.h"
#include "trend/monitor/monitor_pair.h"

// Two runs next to each other and their ratio: one heat map a data type, rows of the target, steps
// of both, panels golden, target, target / golden. Adds the figures.
void monitor_ratio_figures(const MonitorPairing *pairing, const Verdict *verdict, Arena *arena,
                           MonitorFigures *out);

#endif
