// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_SPIKE_H
#define VERNIER_TREND_CURVES_SPIKE_H

#include "model/run/series.h"

// Values that jump up against their own recent history (docs/spec/curves.md §5.7): the residual to
// the median of the last 11 accepted values, scaled by the MAD of the residuals of the last 100.
// Before there are so many, a spike is far above the 8 values on either side.

typedef struct SpikeRule {
    bool logarithm;  // work on log values: norms
    double score;    // residual over scale that makes a spike: 6
    double size;     // and the least relative size: 0.05 for a loss, 1 for a norm
} SpikeRule;

extern const SpikeRule spike_rule_loss, spike_rule_norm;

// Neighbouring spikes, at most 5 steps apart, are one event.
typedef struct Spike {
    int64_t start, peak, end;
    double value;  // at the peak
    double ratio;  // of the peak to the centre before it
    double
        returned_after;  // steps from `end` until a value is back within 3 scales; NaN: the series
                         // ends before; infinity: not within 200 steps
    bool level_shift;    // 20 refusals in a row: the new level was accepted
} Spike;

typedef struct Spikes {
    Spike *items;
    size_t count, capacity;
} Spikes;

// Adds to `out`, in order of steps; values that are no number, of a norm those up to 0 too, count
// as absent. The time is that of the points times a median of at most 100 values.
void spikes_find(const Series *series, const SpikeRule *rule, Arena *arena, Spikes *out);

// The rule for a series of that name, or NULL where spikes mean nothing.
const SpikeRule *spike_rule_for(Str name);

#endif
