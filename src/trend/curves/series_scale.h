// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SERIES_SCALE_H
#define VERNIER_TREND_CURVES_SERIES_SCALE_H

#include "trend/curves/step_align.h"

// What a difference of a series is measured by, so that the same curves times any factor get the
// same verdict (docs/spec/curves.md §5.0).

typedef struct SeriesScale {
    double level;    // median |golden|
    double scatter;  // of golden from step to step, without its course
    double target_scatter;
    bool around_zero;      // golden scatters around 0: no relative difference has a meaning
    double scatter_ratio;  // of the target's scatter and golden's, 1 or more
    double absolute;       // the least difference that counts
} SeriesScale;

// `absolute` is what a user gave, or NaN: then series_absolute_share of the level, and of a series
// around 0 a quarter of its scatter.
extern const double series_absolute_share;
SeriesScale series_scale(const Aligned *pair, double absolute);

#endif
