// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_RANK_METRICS_REPORT_H
#define VERNIER_REPORT_RANK_METRICS_REPORT_H

#include "verdict/rank_metrics_verdict.h"

// One sheet a metric: the name, then a column a rank.
Table *rank_metrics_table(const RankMetrics *metrics, size_t metric, Arena *arena);
// Largest value of each metric and rank.
Table *rank_metrics_largest_table(const RankMetrics *metrics, Arena *arena);
// The page, or with `ticket` the Markdown of it.
void rank_metrics_report(const RankMetricsView *view, bool ticket, Arena *arena, Report *out);

#endif
