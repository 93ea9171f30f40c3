// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_RIM_H
#define VERNIER_PICTURE_CURVES_CURVES_RIM_H

#include "picture/curves/curves_view.h"
#include "picture/kit/chart.h"

// The rows of events above the panels; returns the y below them. The line of the first row lies
// CURVES_RIM_LINE below `y`, that of each further one CURVES_RIM_ROW lower, its labels between.
enum { CURVES_RIM_LINE = 18, CURVES_RIM_ROW = 30, CURVES_RIM_ROWS = 5 };
double curves_rim(const CurvesView *view, Scene *scene, const ChartFrame *frame, double y);

#endif
