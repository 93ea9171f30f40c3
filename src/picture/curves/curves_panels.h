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

#endif
