// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_MONITOR_MONITOR_MAPS_H
#define VERNIER_PICTURE_MONITOR_MONITOR_MAPS_H

#include "picture/monitor/monitor_grid.h"
#include "verdict/monitor_verdict.h"

// The heat maps of `vernier monitor`: layer × step of every data type, rank × step of the objects
// with alarms, rank × layer at the step of the first alarm; and small multiples of every type.

typedef enum MonitorFigureKind {
    FIGURE_LAYERS,   // rows: objects; columns: steps; panels: ranks
    FIGURE_RANKS,    // rows: ranks; columns: steps; panels: objects
    FIGURE_AT_STEP,  // rows: objects; columns: ranks; panels: one step, and the worst of all
    FIGURE_LINES,    // small multiples: a panel an object
    FIGURE_RATIO     // rows: objects; columns: steps; panels: golden, target, their ratio
} MonitorFigureKind;

typedef struct MonitorFigure {
    MonitorFigureKind kind;
    Str file;     // base name: "layers-grad_reduced-norm"
    Str heading;  // "grad_reduced, norm: layer by step"
    Str run;      // name of the run, or empty with a single one
    Str type;     // data type
    Scene *scene;
    bool main;  // the one to be seen first
} MonitorFigure;

typedef struct MonitorFigures {
    MonitorFigure *items;
    size_t count, capacity;
} MonitorFigures;

void monitor_figures(const MonitorViews *views, const Verdict *verdict, Arena *arena,
                     MonitorFigures *out);

enum { MONITOR_FIGURES_MAX = 48 };

#endif
