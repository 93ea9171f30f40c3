// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_RANK_METRICS_H
#define VERNIER_COMPARE_RANK_METRICS_H

#include "base/str.h"

// Many row tables side by side: of each metric a table of rows by ranks (docs/spec/compare.md
// §6.4), and which rank stands out among them.

enum { RANK_METRICS_MAX = 16 };

// What a rank has in one row, metric by metric.
typedef struct RankRow {
    size_t rank;
    const Str *cells;
} RankRow;

// The largest distance of a metric on a rank, and in which row.
typedef struct RankLargest {
    double value;  // NaN is larger than infinity
    size_t rank, name;
    bool any;  // false: no number
} RankLargest;

typedef struct RankMetrics {
    const char *metrics[RANK_METRICS_MAX];  // columns of the row tables
    size_t metric_count;
    const Str *names;  // of the rows, in the order in which they are first met
    size_t name_count;
    const Str *ranks;        // "rank0", or "step0 rank0" where there are several steps
    const Str *places;       // the same as sentences say it: "rank 0", "step 0, rank 0"
    const int64_t *numbers;  // under the columns of the heat maps
    size_t rank_count;
    // Stages of a model have other rows: memory is that of the rows there are. Those of name i
    // are rows[first[i]] up to rows[first[i + 1]], by rank.
    const RankRow *rows;
    const size_t *first;
    RankLargest *largest;  // [metric * rank_count + rank]: rank_metrics_measure
} RankMetrics;

// Fills `largest`, of which the functions below know.
void rank_metrics_measure(RankMetrics *metrics, Arena *arena);

// Empty: the rank has no such row.
Str rank_metrics_cell(const RankMetrics *metrics, size_t rank, size_t name, size_t metric);

// How far a value is from agreement: a cosine and a share within a tolerance from 1, anything else
// from 0, "12.5%" as 0.125; NaN for NaN. False where there is no number.
bool rank_metrics_distance(const RankMetrics *metrics, Str cell, size_t metric, double *out);

// As a > b; NaN is the largest.
bool rank_metrics_exceeds(double a, double b);

// False for a metric that is a word.
bool rank_metrics_is_number(const RankMetrics *metrics, size_t metric);
// The metric that says most of a module: the relative error of the norm, else the first.
size_t rank_metrics_main(const RankMetrics *metrics);

RankLargest rank_metrics_largest(const RankMetrics *metrics, size_t metric, size_t rank);

// Ranks without a number in any metric that has numbers, and the first of them. All where no table
// has one; none where no metric has numbers.
size_t rank_metrics_silent(const RankMetrics *metrics, size_t *first);

// The median of the finite values; NaN: none. `room` holds as many.
double rank_metrics_median(const double *values, size_t count, double *room);

// Up to where the heat maps tell ratios to the median rank apart, as a power of ten; from there on
// a rank stands out.
#define RANK_METRICS_SCALE_END 0.61

// The rank with the largest value of a metric, and how many ranks stand out by it: at least four
// times the median rank, and past the noise of a float32 norm where the metric is relative.
typedef struct RankOutlier {
    size_t metric, count;  // 0: none stands out
    RankLargest largest;
    double median;
} RankOutlier;

// Of the main metric, or of the first other one: in which some ranks have NaN and others have not,
// else in which one stands out.
RankOutlier rank_metrics_outlier(const RankMetrics *metrics, Arena *arena);

#endif
