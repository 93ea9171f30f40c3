// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_DRAWN_LINE_H
#define VERNIER_PICTURE_KIT_DRAWN_LINE_H

#include "trend/curves/spike.h"

// The smoothed line of a series as pictures show it.

// What --smooth says: below 1 the weight of a debiased EMA, from 1 a centred mean of so many
// values, 0 none. NaN chooses, from 60 points on, an EMA that lags by 1/250 of the points, too
// little to be seen; at least the 0.6 that dashboards take. Schedules and evaluations are always
// drawn as printed. The result is one of the first three.
double drawn_weight(double smooth, Str series, size_t count);

// "centred mean of 31", "debiased EMA 0.857", or empty for weight 0.
Str drawn_filter_text(double weight, Arena *arena);

// The window of the analysis: 2 % of the points, odd, at least 21.
size_t drawn_window(size_t count);

// What the line is not led by: values beyond low … high and spikes, unless the series ends there.
typedef struct DrawnLimits {
    const Spikes *spikes;  // may be NULL
    double low, high;      // of the panel
} DrawnLimits;

// A larger distance of two points breaks a line: Series.gap, or 3 times the usual distance.
int64_t drawn_gap(const Series *series, Arena *arena);

// One point for each of the series. What the limits leave out and what is no number is NaN in the
// line and outside of all means; neither mean nor average ever reaches over a gap or an absent
// point: after it the average begins anew. Towards the start of a stretch the window of
// a centred mean shrinks: a loss falls fastest there, and a window cut on one side would begin far
// below it.
Points drawn_line(const Series *series, const DrawnLimits *limits, double weight, Arena *arena);

#endif
