// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SMOOTH_H
#define VERNIER_TREND_CURVES_SMOOTH_H

#include <stddef.h>

#include "base/arena.h"
#include "base/sort.h"
#include "read/log/log_part.h"

// Filters over the values of a series, all of `count` values in order (docs/spec/curves.md §6.1).

// Mean over `window` values around each one (made odd), cut at the ends: over those that are there.
// Values that are not finite are left out; where none is left the result is NaN. In place is
// allowed.
void centred_mean(const double *values, size_t count, size_t window, double *out);

// Of `count` values in rising order, NaN last: the first place whose value is not below (found
// without a branch that depends on a value, as that of a noisy series cannot be foretold). A value
// gives way at place `old` to another; at `count` one more is put in.
size_t sorted_place(const double *sorted, size_t count, double value);
void sorted_replace(double *sorted, size_t count, size_t old, double value);

// Median over `window` values around each one (made odd), cut at the ends; NaN counts as the
// largest. Of more than 10,000 values neighbours are taken together by their median: the window is
// then whole multiples of these. In place is allowed.
void running_median(const double *values, size_t count, size_t window, double *out);

// The values with spikes cut: none is further from the running median than 6 of its deviations
// (1.4826 times the median one), nor cut to less than `least[i]` from it. A mean over these does
// not smear a spike. In place is allowed.
void clip_spikes(const double *values, size_t count, size_t window, const double *least,
                 double *out);

// Exponential moving average with the bias of the start removed, as TensorBoard draws it. A weight
// of 0 gives the values; a constant series stays as it is; values that are not finite pass through.
// In place: a series of a million points is no array more.
void debiased_average(PointColumns points, size_t count, double weight);

#endif
