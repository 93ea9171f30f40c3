// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_MONITOR_RATIO_H
#define VERNIER_LAYOUT_MONITOR_RATIO_H

#include "layout/monitor_maps.h"
#include "trend/monitor_pair.h"

// Two runs beside each other and their ratio: one heat map a data type, rows of the target, steps of
// both, panels golden, target, target / golden. Adds the figures.
void monitor_ratio_figures(const MonitorPairing *pairing, const Verdict *verdict, Arena *arena,
                           MonitorFigures *out);

#endif
