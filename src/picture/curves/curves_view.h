// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_CURVES_CURVES_VIEW_H
#define VERNIER_PICTURE_CURVES_CURVES_VIEW_H

#include "scene/role.h"
#include "trend/curves/judge_curves.h"

// What the picture of curves shows, and what its parts ask about it.

enum { CURVES_MANY = 8, CURVES_OUTLIERS = 5 };

// Of three runs and more: the width of the widest name in px, and how many bytes all names begin
// and end with.
typedef struct CurvesNames {
    double widest;
    size_t head, tail;
} CurvesNames;

typedef struct CurvesView {
    const CurveFindings *report;
    Str series;          // comma separated names to show; empty: all
    double smooth;       // of drawn_weight
    bool log_y;          // the loss on a log axis
    const char *x_unit;  // "step", translated
    bool over_time;      // x is milliseconds
    Arena *lines;        // of the points of one panel, until the next; NULL: those of the picture
    // Of more than CURVES_MANY runs: those that end farthest from the others; all else is grey.
    const Run *outliers[CURVES_OUTLIERS];
    size_t outlier_count;
    const size_t *places;  // of the runs among those of their role
    CurvesNames names;
} CurvesView;

enum { CURVES_LEFT = 98, CURVES_RIGHT = 996 };

// How the lines of a run look, by its role and its place among the runs of that role.
typedef struct RunLook {
    Role role;
    float width, dash;
} RunLook;
RunLook curves_run_look(const CurvesView *view, const Run *run);

// Fills what is known of all runs together: their names and places, and the outliers, whose last
// loss lies more than 5 median absolute deviations from the median of all, the farthest first.
void curves_look_at_runs(CurvesView *view, Arena *arena);
bool curves_is_grey(const CurvesView *view, const Run *run);

// The name; where the names are wider than `room` px, without what all of them begin and end with,
// cut at separators: "…lr0.0008_bs256…".
enum { CURVES_NAME_ROOM = 140 };  // next to a panel
Str curves_run_name(const CurvesView *view, const Run *run, double room, Arena *arena);

// The first and last step of all series that are shown.
void curves_extent(const CurvesView *view, int64_t *first, int64_t *last);
Str curves_x_label(const CurvesView *view, int64_t x, Arena *arena);  // "1,500", "2h 30m"
bool curves_shown(const CurvesView *view, Str series);

// The comparison that the figures show: the deciding one where it is beyond, else that of the loss;
// NULL without.
const CurveComparison *curves_leading(const CurvesView *view);

// Where the target leaves: the first step at which one side is no number, else where the drawn mean
// leaves its limit, for good or, where nothing lasts, for the longest time. False: it does not.
bool curves_leaves(const CurveComparison *comparison, int64_t *step);

// "Loss", "Gradient norm", or the name itself.
Str curves_heading(Str series);

#endif
