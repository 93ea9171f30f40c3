// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_CURVES_TABLES_H
#define VERNIER_REPORT_CURVES_CURVES_TABLES_H

#include "scene/table.h"
#include "trend/curves/judge_curves.h"

// The tables of `vernier curves`: for the page, the ticket text and the workbook.

Table *curves_table_runs(const CurveFindings *report, Arena *arena);

// One row a compared series; the noise runs against golden come first, as a measure.
Table *curves_table_differences(const CurveFindings *report, Arena *arena);

// The loss in the first 10 %, the middle and the last 20 %: one mean over all hides the end.
Table *curves_table_phases(const CurveFindings *report, Arena *arena);

// Spikes of losses and norms, then the events of all runs; NULL if there is none.
Table *curves_table_spikes(const CurveFindings *report, Arena *arena);
Table *curves_table_events(const CurveFindings *report, Arena *arena);

// Norms per weight, flagged ones with their status; NULL without local norms.
Table *curves_table_norms(const CurveFindings *report, Arena *arena);

// The steps of docs/spec/curves.md §5.3 with the current one marked; NULL unless two runs start at
// one step.
Table *curves_table_decisions(const CurveFindings *report, Arena *arena);

// Every value: the step, each series of each run, and target - golden of the losses. Made row by
// row. `series` chooses names (comma separated; empty: all). Of more than `most` rows those that
// show the extremes of each column are left, and the note says so; 0: all.
Table *curves_table_values(const CurveFindings *report, Str series, size_t most, Arena *arena);

#endif
