// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_SORT_H
#define VERNIER_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// Numbers in rising order. `count` may be 0, the array then NULL.

void sort_doubles(double *values, size_t count);     // none of them NaN
size_t sort_distinct(int64_t *items, size_t count);  // each once; how many are left

// The median; the mean of the middle two of an even count. NaN for none. Changes the order.
double median_of(double *values, size_t count);

// The same of values that are sorted already; there is at least one.
double sorted_median(const double *sorted, size_t count);

// The value that stands at a place below `count` when they are sorted; none is NaN. Changes the
// order.
double value_at_place(double *values, size_t count, size_t at);

// The q-quantile (0 … 1) by linear interpolation between ranks. Changes the order.
double quantile_of(double *values, size_t count, double q);

// Binary search: sets `at`, a size_t, to the first place of `count` where `below`, said of `at`,
// does not hold, or to `count`. It holds at all before that place and at none after it.
//     FIND_FIRST(at, series->count, series->points[at].x < x);
#define FIND_FIRST(at, count, below)          \
    do {                                      \
        size_t low_ = 0, high_ = (count);     \
        while (low_ < high_) {                \
            (at) = low_ + (high_ - low_) / 2; \
            if (below)                        \
                low_ = (at) + 1;              \
            else                              \
                high_ = (at);                 \
        }                                     \
        (at) = low_;                          \
    } while (0)

// The median absolute deviation of normal values times this is their standard deviation: 1 over the
// third quartile of the normal distribution.
#define MAD_TO_SIGMA 1.4826

// -1, 0, 1: to order records by one of their numbers after another.
int order_int64(int64_t a, int64_t b);

#endif
