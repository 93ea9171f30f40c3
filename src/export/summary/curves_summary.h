// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_CURVES_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_CURVES_SUMMARY_H

#include "base/sink.h"
#include "scene/report.h"
#include "trend/curves/judge_curves.h"
#include "verdict/history_text.h"

// summary.json of `vernier curves` (schema "vernier.curves/1",
// docs/spec/output.md §2).

typedef struct CurvesSummary {
    const char *version;
    const CurveFindings *report;
    const Verdict *verdict;
    const Notices *notices;
    const HistoryView *history;  // with --history, else NULL
} CurvesSummary;
void curves_summary_write(const void *summary, Sink *out);

#endif
