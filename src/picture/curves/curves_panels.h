// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_PANELS_H
#define VERNIER_PICTURE_CURVES_CURVES_PANELS_H

#include "picture/curves/curves_view.h"
#include "picture/kit/chart.h"

// The panels of the picture of curves.

// All runs' lines of one series over each other.
void curves_overlay_panel(const CurvesView *view, const char *series, Arena *arena,
                          ChartPanel *out);
// Target minus golden of the loss, and the same relative to golden in per cent.
void curves_difference_panel(const CurvesView *view, const CurveComparison *comparison,
                             Arena *arena, ChartPanel *out);
void curves_relative_panel(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                           ChartPanel *out);

// The parts of them that one run has: the difference of one target with its band and range, and
// the lines of one series, which are added to a panel that has a range.
void curves_target_panel(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                         ChartPanel *out);
void curves_add_run(const CurvesView *view, const Run *run, const Series *series, Arena *arena,
                    ChartPanel *panel);
// Where the middle 8 of 10 runs lie, at up to 240 steps over all that the runs have.
void curves_most_band(const CurvesView *view, const char *series, Arena *arena, ChartBand *out);

#endif
