// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_MONITOR_TABLES_H
#define VERNIER_REPORT_CURVES_MONITOR_TABLES_H

#include "scene/table.h"
#include "trend/monitor/monitor_pair.h"
#include "verdict/monitor_verdict.h"

// The tables of `vernier monitor`, for the page and the workbook.

Table *monitor_table_runs(const MonitorViews *views, Arena *arena);

// The alarms that are not weak, then the weak ones, at most `limit`; the note says what is left
// out.
Table *monitor_table_alarms(const MonitorViews *views, size_t limit, Arena *arena);

// The same for a page: what tells, in fewer columns.
Table *monitor_table_first_alarms(const MonitorViews *views, size_t limit, Arena *arena);

// One row an object and rank: points, first, median, least, largest, last, NaN, largest departure.
Table *monitor_table_series(const MonitorViews *views, Arena *arena);

// Every point that is drawn: run, type, stage, name, micro step, rank, statistic, step, value. Rows
// are made as they are asked for.
Table *monitor_table_values(const MonitorViews *views, Arena *arena);

// Types and how far the second run parts from the first; NULL without a pairing.
Table *monitor_table_differences(const MonitorDifferences *differences, Arena *arena);

// The objects that only one of two runs has, `limit` of them and a row with the number of the rest;
// NULL if both have the same.
Table *monitor_table_missing(const MonitorViews *views, const MonitorDifferences *differences,
                             size_t limit, Arena *arena);

// The rules with their limits and sources.
Table *monitor_table_rules(const MonitorViews *views, Arena *arena);

#endif
