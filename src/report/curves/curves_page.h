// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_CURVES_PAGE_H
#define VERNIER_REPORT_CURVES_CURVES_PAGE_H

#include "base/notice.h"
#include "scene/report.h"
#include "trend/curves/judge_curves.h"
#include "verdict/history_text.h"

// The report of `vernier curves` as a page and as the text of a ticket.

typedef struct CurvesPage {
    const char *version;
    const CurveFindings *report;
    const Verdict *verdict;
    const Scene *picture;
    const Scene *multiples;  // a panel a run; NULL: few runs
    const Scene *norms;      // NULL: no local norms
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
    Str title;                   // --title, or empty
} CurvesPage;

// Verdict, picture, differences, where to look, local norms, events, limits.
void curves_page_build(const CurvesPage *page, Arena *arena, Report *out);

// The same without the long tables.
void curves_ticket_build(const CurvesPage *page, Arena *arena, Report *out);

#endif
