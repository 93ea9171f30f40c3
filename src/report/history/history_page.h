// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_HISTORY_HISTORY_PAGE_H
#define VERNIER_REPORT_HISTORY_HISTORY_PAGE_H

#include "base/notice.h"
#include "scene/report.h"
#include "verdict/history_text.h"

// A history in reports: the part that the page of a nightly command gets, and the report of
// `vernier history`.

enum { HISTORY_PAGE_TRENDS = 400, HISTORY_TICKET_TRENDS = 30 };  // rows of the trend table

// The part of a page or ticket right under the verdict: what is new since the run before. Nothing
// without a view.
void history_report_news(const HistoryView *view, Arena *arena, Report *out);

// Further down: the picture with the sparklines of every layer, and the figures as a table of at
// most `limit` rows (0: all). The picture has no verdict of its own.
void history_report_trends(const HistoryView *view, size_t limit, Arena *arena, Report *out);

// Everything that `vernier history` says.
typedef struct HistoryPage {
    const HistoryView *views;  // by command
    size_t count;
    const Verdict *verdict;
    const Notices *notices;
    const char *version;
    Str title;  // --title, or empty
} HistoryPage;
void history_page_build(const HistoryPage *page, Arena *arena, Report *out);
void history_ticket_build(const HistoryPage *page, Arena *arena, Report *out);

#endif
