// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_HISTORY_PAGE_H
#define VERNIER_LAYOUT_HISTORY_PAGE_H

#include "base/json_writer.h"
#include "base/notice.h"
#include "layout/history_text.h"
#include "scene/report.h"

// A history in reports: the part that the page of a nightly command gets, and the report and
// summary.json of `vernier history`.

enum { HISTORY_PAGE_TRENDS = 400, HISTORY_TICKET_TRENDS = 30 };  // rows of the trend table

// The part of a page or ticket right under the verdict: what is new since last night. Nothing
// without a view.
void history_report_news(const HistoryView *view, Arena *arena, Report *out);

// Further down: the picture with the sparklines of every layer, and the figures as a table of at most
// `limit` rows (0: all). The picture has no verdict of its own.
void history_report_trends(const HistoryView *view, size_t limit, Arena *arena, Report *out);

// The key "history" of summary.json: the last 60 nights, what changed and since when, the tracks. Writes
// null without a view.
void history_json(JsonWriter *json, const HistoryView *view);

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
void history_summary_write(const HistoryPage *page, Sink *out);  // "vernier.history/1"

#endif
