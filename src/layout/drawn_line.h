// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_DRAWN_LINE_H
#define VERNIER_LAYOUT_DRAWN_LINE_H

#include "trend/spike.h"

// The smoothed line of a series as pictures show it.

// What --smooth says: below 1 the weight of a debiased average, from 1 a centred mean of so many
// values, 0 none, NaN the window of the analysis where there are 60 points. Schedules and
// evaluations are always drawn as printed. The result is one of the first three.
double drawn_weight(double smooth, Str series, size_t count);

// "centred mean of 31", "debiased average of weight 0.9", or empty for weight 0.
Str drawn_filter_text(double weight, Arena *arena);

// The window of the analysis: 2 % of the points, odd, at least 21.
size_t drawn_window(size_t count);

// One point for each of the series. Spikes (may be NULL) and what is no number are left out of the
// means and are NaN in the line; a mean never reaches over a gap of more than 3 usual distances.
// Towards the start of a stretch the window shrinks: a loss falls fastest there, and a window cut on
// one side would begin far below it.
Points drawn_line(const Series *series, const Spikes *spikes, double weight, Arena *arena);

#endif
