// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_NOISE_RUNS_H
#define VERNIER_TREND_CURVES_NOISE_RUNS_H

#include "trend/curves/step_align.h"

// Which noise runs measure the noise of a pair of series. A run judges only what it can: it is
// judged itself first (docs/spec/curves.md §5.6).

typedef enum NoiseFit {
    NOISE_USED,
    NOISE_FEW_STEPS,   // fewer than half of the pair's steps, or fewer than 8
    NOISE_NOT_FINITE,  // has the steps, but most of its values are NaN or Inf
    NOISE_SHORTER,     // other noise runs cover more; the intersection of all would be judged less
    NOISE_OTHER        // ends so far from golden that it is a run of another configuration
} NoiseFit;

typedef struct NoiseRun {
    const Run *run;
    const Series *series;  // NULL: it has none of that name
    NoiseFit fit;
    size_t steps;   // finite steps that it shares with the pair
    double offset;  // mean |difference| to golden at the end, as a share of golden's level
} NoiseRun;

typedef struct NoiseRuns {
    NoiseRun *items;
    size_t count, used;
} NoiseRuns;

// `name` is that of the pair's series. The loss of one rank has the noise of the run's loss where a
// noise run has no loss of that rank.
void noise_runs_choose(const Runs *runs, const Series *golden, const Series *target, Str name,
                       Arena *arena, NoiseRuns *out);

// Only steps where every value is a number.
void aligned_keep_finite(const Aligned *from, Arena *arena, Aligned *out);

// The finite steps that golden, all used noise runs and the target have, in this order.
void noise_runs_align(const NoiseRuns *noise, const Series *golden, const Series *target,
                      Arena *arena, Aligned *out);

// The steps of `pair` (golden, target; finite) that `covered` does not have.
void noise_runs_uncovered(const Aligned *pair, const Aligned *covered, Arena *arena, Aligned *out);

#endif
