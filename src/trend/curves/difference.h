// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_DIFFERENCE_H
#define VERNIER_TREND_CURVES_DIFFERENCE_H

#include "trend/curves/step_align.h"
#include "trend/curves/wander.h"

// What target minus golden looks like (docs/spec/curves.md §5.0, §5.5).

typedef struct DifferenceStats {
    size_t points;  // steps where both are finite
    double signed_mean, mae, mse, max_abs;
    int64_t max_at;
    double mean_relative;  // of |difference| to |golden| or the least scale, where that is not 0
    double positive_share;
    double median_abs, p95_abs, p99_abs;
    size_t sign_changes;
    double autocorrelation;  // lag 1 of the difference
    double balance;          // |mean| over its standard error with the effective sample size
    size_t one_sided;        // steps where only one side is finite
    int64_t one_sided_at;    // the first
    size_t neither;          // steps at which both are no number
    int64_t neither_at;      // the first of them
} DifferenceStats;

// What a relative difference is compared with at least: of a golden series that changes its sign
// its mean size, as next to 0 every difference is large, and 0 of any other. NaN and Inf are left
// out.
double difference_least_scale(const double *golden, size_t count);

// Statistics of steps [from, to) of two aligned series, golden first.
void difference_stats(const Aligned *pair, size_t from, size_t to, DifferenceStats *out);

// Numbers of samples that are worth as much as `count` correlated ones, at least 2.
double effective_count(size_t count, double autocorrelation);

// A part of a difference: mean, and least-squares slope for one place further.
typedef struct Tail {
    size_t from, count;
    double mean, slope;
    double standard_error;  // of the mean, with the autocorrelation around the line
    double scatter;         // root mean square of what is next to the line
    double slope_error;  // of the slope, from the scatter around the line and its autocorrelation
    bool sure;           // the mean is not 0: wander_sure
    bool slopes;         // the slope is no scatter: Student's t, 1 % of draws on both sides
} Tail;

// How many of the last values are the end: 20 %, and of few values the last 8.
size_t difference_end(size_t count);

// The line from `from` on. How its values wander is that of more of them.
void difference_line(const double *difference, size_t from, size_t count, const Wander *wander,
                     Tail *out);

#endif
