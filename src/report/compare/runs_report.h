// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_RUNS_REPORT_H
#define VERNIER_REPORT_COMPARE_RUNS_REPORT_H

#include "report/kit/sections.h"
#include "verdict/runs_verdict.h"

// Tables, page and ticket of `vernier compare --runs`.

Table *runs_table(const RunsView *report, Arena *arena);
// Runs by layers, only layers in which some run differs.
Table *runs_table_of_layers(const RunsView *report, Arena *arena);
void runs_page_build(const RunsView *report, Arena *arena, Report *out);
void runs_ticket_build(const RunsView *report, Arena *arena, Report *out);

#endif
