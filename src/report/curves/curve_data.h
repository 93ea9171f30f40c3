// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_CURVE_DATA_H
#define VERNIER_REPORT_CURVES_CURVE_DATA_H

#include "trend/curves/judge_curves.h"

// The curves of a page for its script (templates/curves.js reads them): of each series that a
// picture of curves may show a name, the name and role of its run, and its points. Lines, five a
// series:
//
//     series; run; role
//     steps: the first, then how far each is from the one before
//     values, blank between them
//
// Series of many points keep the smallest and the largest value of each of so many columns that
// all of them stay below CURVE_DATA_BYTES. Linear in the points.
enum { CURVE_DATA_BYTES = 600000 };

Str curve_data_text(const CurveFindings *report, Arena *arena);

#endif
