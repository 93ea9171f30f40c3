// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RUNS_VIEW_H
#define VERNIER_VERDICT_RUNS_VIEW_H

#include "base/notice.h"
#include "compare/runs/run_leave.h"
#include "scene/report.h"

// One configuration run many times: what is known of each run.

// A layer of a run over all steps and ranks.
typedef struct RunLayer {
    Status status;  // worst, by the tolerances
    bool leaves;    // something in it is not equal to the bit
    bool first;     // the run leaves here first
    bool starts;    // the run goes beyond the tolerances here first
    double error;   // largest relative error of a norm; NaN: none known
} RunLayer;

// Whether the layer's difference comes from an earlier layer.
static inline bool run_layer_inherits(const RunLayer *layer)
{
    return status_differs(layer->status) && !layer->starts;
}

typedef struct RunFacts {
    Str path, label;     // label: short, distinct
    bool failed;         // no dump of it could be read, or none compared
    bool narrow;         // it or the most common run alone records something
    size_t group;        // runs of one group are equal to the bit; the most common has 0
    Status status;       // worst, by the tolerances; STATUS_SAME in group 0
    RunLeave first;      // over all steps and ranks
    RunLeave beyond;     // where it goes beyond the tolerances first, which may be later
    uint64_t differing;  // ops that are not equal to the bit
    RunLayer *layers;    // by RunsView.layers, NULL: equal to the most common run
} RunFacts;

typedef struct RunsView {
    const char *version;
    Str title, command;
    const RunFacts *runs;
    size_t count;
    size_t common;  // index, SIZE_MAX: none
    const Str *layers;
    size_t layer_count;
    size_t dumps;  // steps and ranks of the most common run
    uint64_t ops;  // of the most common run
    Verdict verdict;
    PageFigure figure;
    const Notices *notices;
} RunsView;

#endif
