// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_CURVES_SUMMARY_H
#define VERNIER_LAYOUT_CURVES_SUMMARY_H

#include "base/sink.h"
#include "layout/history_text.h"
#include "layout/summary.h"
#include "trend/judge_curves.h"

// The verdict of `vernier curves` and its summary.json (schema "vernier.curves/1", design.md §3).

// The comparison that decides: the worst finding of a loss, else the first one. NULL without any.
const CurveComparison *curves_deciding(const CurveReport *report);

// True if a comparison is beyond its tolerance: exit code 1.
bool curves_beyond(const CurveReport *report);

// "skipped", "restart", … translated.
const char *curves_event_word(EventKind kind);

void curves_verdict(const CurveReport *report, bool partial, Arena *arena, Verdict *out);

typedef struct CurvesSummary {
    const char *version;
    const CurveReport *report;
    const Verdict *verdict;
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} CurvesSummary;
void curves_summary_write(const CurvesSummary *summary, Sink *out);

#endif
