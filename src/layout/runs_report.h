// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_RUNS_REPORT_H
#define VERNIER_LAYOUT_RUNS_REPORT_H

#include "compare/run_leave.h"
#include "layout/compare_page.h"
#include "layout/summary.h"

// What `vernier compare --runs` says: one set-up run many times, each run held against the most common
// one. Verdict, summary.json (schema "vernier.runs/1"), tables, page, ticket.

// A layer of a run over all steps and ranks.
typedef struct RunLayer {
    Status status;  // worst, by the tolerances
    bool leaves;    // something in it is not equal to the bit
    bool first;     // the run leaves here first
    double error;   // largest relative error of a norm; NaN: none known
} RunLayer;

typedef struct RunFacts {
    Str path, label;     // label: short, distinct
    bool failed;         // no dump of it could be read
    size_t group;        // runs of one group are equal to the bit; the most common has 0
    Status status;       // worst, by the tolerances; STATUS_SAME in group 0
    RunLeave first;      // over all steps and ranks
    uint64_t differing;  // ops that are not equal to the bit
    RunLayer *layers;    // by RunsReport.layers, NULL: equal to the most common run
} RunFacts;

typedef struct RunsReport {
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
} RunsReport;

Status runs_status(const RunsReport *report);
void runs_verdict(const RunsReport *report, bool partial, Arena *arena, Verdict *out);
void runs_summary_write(const RunsReport *report, Sink *out);
Table *runs_table(const RunsReport *report, Arena *arena);
// Runs by layers, only layers in which some run differs.
Table *runs_table_of_layers(const RunsReport *report, Arena *arena);
void runs_page_build(const RunsReport *report, Arena *arena, Report *out);
void runs_ticket_build(const RunsReport *report, Arena *arena, Report *out);

#endif
