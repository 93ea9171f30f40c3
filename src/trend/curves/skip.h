// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SKIP_H
#define VERNIER_TREND_CURVES_SKIP_H

#include "model/run/series.h"
#include "trend/curves/spike.h"

// Skipping data by the global norm, simulated on a log (docs/spec/curves.md §5.10): a step is
// skipped when its norm is at or above the threshold; so many in a row end the run.

typedef struct SkipResult {
    double threshold;
    uint64_t count;
    int64_t *skipped;
    size_t skipped_count;
    size_t longest_row;
    bool aborts;
    int64_t abort_at;  // its last step; without `aborts` the last one skipped
    size_t caught;     // of the spikes given
} SkipResult;

// `count` skips in a row end the run; 0: nothing ends it. `spikes` only for `caught`.
void skip_simulate(const Series *norm, double threshold, uint64_t count, const Spikes *spikes,
                   Arena *arena, SkipResult *out);

// A threshold and a count from the history of a run.
typedef struct SkipAdvice {
    int64_t warmup_end;                     // steps up to here are left out
    size_t judged;                          // steps after it
    Spikes spikes;                          // of the norm
    double largest_normal, smallest_spike;  // NaN: no spike
    double safe, robust, gap;               // the three candidates; gap is NaN without spikes
    SkipResult suggested;
    double skipped_share;
    bool too_short;  // fewer than 200 judged steps: the tail of the norms is not known
} SkipAdvice;

// False if the run has no gradient norm.
bool skip_advise(const Run *run, Arena *arena, SkipAdvice *out);

// Thresholds worth showing next to each other, rising: from the largest normal value to the spikes.
size_t skip_candidates(const SkipAdvice *advice, double out[12]);

#endif
