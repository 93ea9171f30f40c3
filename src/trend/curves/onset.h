// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_ONSET_H
#define VERNIER_TREND_CURVES_ONSET_H

#include <stddef.h>

#include "base/arena.h"

// Where a lasting change of a difference began (docs/spec/curves.md §5.7).

// What is known before: `from` is where the smoothed difference leaves its limit, `quiet` where it
// last came back from an earlier one, `window` what it was smoothed over.
typedef struct OnsetHint {
    size_t quiet, from, window;
} OnsetHint;

// The place, and the first and last one that explain the difference as well (95 %).
typedef struct Onset {
    size_t at, low, high;
} Onset;

// The place from which on a step, or a rise that may bend, explains the difference best: least
// squares, each value weighted by the scatter around it. `difference` is finite and has no spikes.
// Linear in the count.
Onset onset_find(const double *difference, size_t count, OnsetHint hint, Arena *arena);

#endif
