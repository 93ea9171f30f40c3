// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_MONITOR_PAGE_H
#define VERNIER_REPORT_CURVES_MONITOR_PAGE_H

#include "picture/monitor/monitor_maps.h"
#include "report/curves/monitor_tables.h"

// The report of `vernier monitor`: verdict, the map to be seen first, alarms, then the other maps.

typedef struct MonitorPage {
    const MonitorViews *views;
    const Verdict *verdict;
    const MonitorFigures *figures;
    const MonitorDifferences *differences;  // NULL: not two runs
    const Notices *notices;
    const char *version;
    const HistoryView *history;  // with --history, else NULL
    Str title;                   // --title, or empty
} MonitorPage;

void monitor_page(const MonitorPage *page, Arena *arena, Report *out);

// The text for a ticket: verdict, main map, the first alarms, the stack of the first one.
void monitor_ticket(const MonitorPage *page, Arena *arena, Report *out);

#endif
