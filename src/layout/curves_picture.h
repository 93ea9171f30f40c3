// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_CURVES_PICTURE_H
#define VERNIER_LAYOUT_CURVES_PICTURE_H

#include "layout/chart.h"
#include "scene/report.h"
#include "trend/judge_curves.h"

// The picture of `vernier curves` (spec/curves.md §6, mockups/curves): verdict, event rim, losses,
// their difference and relative error, gradient norm, and the other series as small panels.

typedef struct CurvesView {
    const CurveReport *report;
    const Verdict *verdict;
    Str series;          // comma separated names to show; empty: all
    double smooth;       // of drawn_weight
    bool log_y;          // the loss on a log axis
    bool bare;           // without the verdict: it stands beside the picture
    const char *x_unit;  // "step", translated
    bool over_time;      // x is milliseconds
} CurvesView;

void curves_picture(const CurvesView *view, const char *id, Arena *arena, Scene *out);

// ---- Parts of it.

enum { CURVES_MARGIN = 32, CURVES_WIDTH = 1200, CURVES_LEFT = 98, CURVES_RIGHT = 996 };

// How the lines of a run look, by its role and its place among the runs of that role.
typedef struct RunLook {
    Role role;
    float width, dash;
} RunLook;
RunLook run_look(const Runs *runs, const Run *run);

// The first and last step of all series that are shown.
void curves_extent(const CurvesView *view, int64_t *first, int64_t *last);
Str curves_x_label(const CurvesView *view, int64_t x, Arena *arena);  // "1,500", "2h 30m"
bool curves_shown(const CurvesView *view, Str series);

// All runs' lines of one series over each other.
void curves_overlay_panel(const CurvesView *view, const char *series, Arena *arena,
                          ChartPanel *out);
// Target minus golden of the loss, and the same relative to golden in per cent.
void curves_difference_panel(const CurvesView *view, const CurveComparison *comparison,
                             Arena *arena, ChartPanel *out);
void curves_relative_panel(const CurvesView *view, const CurveComparison *comparison, Arena *arena,
                           ChartPanel *out);

// The comparison of the loss that the figures tell of: the deciding one, else the first; NULL without.
const CurveComparison *curves_loss(const CurvesView *view);

// The rows of events above the panels; returns the y below them. The line of the first row lies
// CURVES_RIM_LINE below `y`, that of each further one CURVES_RIM_ROW lower, its labels between.
enum { CURVES_RIM_LINE = 18, CURVES_RIM_ROW = 30, CURVES_RIM_ROWS = 5 };
double curves_rim(const CurvesView *view, Scene *scene, const ChartFrame *frame, double y);

// "Loss", "Gradient norm", or the name itself.
Str curves_heading(Str series);

#endif
