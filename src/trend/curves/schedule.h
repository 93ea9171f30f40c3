// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SCHEDULE_H
#define VERNIER_TREND_CURVES_SCHEDULE_H

#include "trend/curves/step_align.h"

// Two learning-rate curves: first aligned, then judged (docs/spec/curves.md §5.9).

typedef struct ScheduleFit {
    int64_t step_shift;     // target at t shows what golden shows at t + step_shift
    double worst_relative;  // over the common steps with a rate above 0
    bool by_updates;        // aligned by applied updates: each side's skipped steps left out
    Series golden, target;  // as they were aligned
} ScheduleFit;

// Tries shifts of -2 … 2, and where a side skipped steps the same over applied updates.
void schedule_align(const Run *golden_run, const Series *golden, const Run *target_run,
                    const Series *target, Arena *arena, ScheduleFit *out);

// The first of the largest rates, where a warm-up ends. False if the rate never rises above its
// first value.
bool schedule_peak(const Series *rate, Point *out);

#endif
