// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_COMPARE_RANK_METRICS_H
#define VERNIER_REPORT_COMPARE_RANK_METRICS_H

#include "base/notice.h"
#include "report/kit/sections.h"

// Many row tables side by side: of each metric a table of rows by ranks, and heat maps of the
// largest value of each metric and each module by rank (docs/spec/compare.md §6.4).

enum { RANK_METRICS_MAX = 16 };

typedef struct RankMetrics {
    const char *version;
    Str title, command;
    const char *metrics[RANK_METRICS_MAX];  // columns of the row tables
    size_t metric_count;
    const Str *names;  // of the rows, in the order in which they are first met
    size_t name_count;
    const Str *ranks;        // "rank0", or "step0 rank0" where there are several steps
    const int64_t *numbers;  // under the columns of the heat maps
    size_t rank_count;
    const Str *cells;  // [(rank * name_count + name) * metric_count + metric]; size 0: no such row
    Verdict verdict;
    PageFigure figures[2];  // metric × rank, module × rank; scene NULL: none
    const Notices *notices;
} RankMetrics;

// The number of a cell: "12.5%" is 0.125; NaN where it is none.
double rank_metrics_number(Str cell);

// The largest value of a metric on a rank, and in which row; NaN without a number.
typedef struct RankLargest {
    double value;
    size_t rank, name;
} RankLargest;
RankLargest rank_metrics_largest_of(const RankMetrics *metrics, size_t metric, size_t rank);
bool rank_metrics_is_number(const RankMetrics *metrics, size_t metric);

void rank_metrics_verdict(const RankMetrics *metrics, bool partial, Arena *arena, Verdict *out);
// One sheet a metric: the name, then a column a rank.
Table *rank_metrics_table(const RankMetrics *metrics, size_t metric, Arena *arena);
// Largest value of each metric and rank.
Table *rank_metrics_largest(const RankMetrics *metrics, Arena *arena);
// The two heat maps; false if there is nothing to draw.
bool rank_metrics_draw(const RankMetrics *metrics, bool modules, Arena *arena, Scene *out);
void rank_metrics_page(const RankMetrics *metrics, bool ticket, Arena *arena, Report *out);

#endif
