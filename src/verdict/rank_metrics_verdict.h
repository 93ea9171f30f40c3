// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RANK_METRICS_VERDICT_H
#define VERNIER_VERDICT_RANK_METRICS_VERDICT_H

#include "base/notice.h"
#include "compare/rank_metrics.h"
#include "scene/report.h"

// What `vernier merge` says of row tables.

typedef struct RankMetricsView {
    const RankMetrics *metrics;
    const char *version;
    Str title, command;
    Verdict verdict;
    PageFigure figures[2];  // metrics by ranks, modules by ranks; scene NULL: none
    const Notices *notices;
} RankMetricsView;

// As the table has it where it is no finite number.
Str rank_metrics_largest_text(const RankMetrics *metrics, size_t metric, const RankLargest *largest,
                              Arena *arena);

void rank_metrics_verdict(const RankMetrics *metrics, bool partial, Arena *arena, Verdict *out);

#endif
