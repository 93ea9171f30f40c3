// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_BAND_H
#define VERNIER_TREND_CURVES_BAND_H

#include "trend/curves/difference.h"

// Is the target within the noise of repeated golden runs, and if not, how does it leave it
// (docs/spec/curves.md §5.6, §5.7).

// A maximal run of steps whose smoothed difference is beyond the limit; indices into x. Spikes
// count in `excursions`, not in `last`.
typedef struct Excursion {
    size_t from, to;  // [from, to)
} Excursion;

typedef struct Excursions {
    Excursion *items;
    size_t count, capacity;
} Excursions;

typedef struct Band {
    size_t runs;  // golden and noise runs
    const int64_t *x;
    size_t count;
    const bool *apart;   // over time: a gap or a pause lies before this point; NULL: x tells
    double *low, *high;  // smallest and largest golden run at each step
    double *centre;      // mean of the golden runs
    double *sigma;       // k s: what a further run scatters around the centre; NULL of a tolerance
    double *difference;  // target - centre
    double *smoothed;    // centred mean of difference, spikes cut
    double *limit;       // of 3 k s, or less (docs/spec/curves.md §5.7)
    double inside_3_sigma_share, inside_min_max_share, expected_min_max_share, rms_ratio;
    int64_t last_inside_step;  // 0: none
    size_t first_beyond;       // index of the step that band_first_beyond gives; count: none
    Excursions excursions;
    Excursion last;  // the one that touches the end; empty: none does
    Tail tail;
    Wander wander;  // of the difference without spikes

    // Whether the mean of the last 20 % is apart from golden's. With noise runs: by more than these
    // differ among themselves (Student's t at 1 %, one degree of freedom a run but one). Without:
    // by more than twice the tolerance, or by that tolerance where it did not from the start. Of a
    // tolerance: whether the mean of the lasting excursion is no scatter.
    bool apart_late;
    bool apart_plainly;  // by both, the former at 5 %
    // Index of where what leaves likely began, and the places that explain it as well (95 %).
    size_t onset, onset_low, onset_high;
    Excursion bump;         // the longest excursion that comes back; empty: none is long
    double late_tolerance;  // mean tolerance of the last 20 %, without noise runs
    double scatter_ratio;   // without the mean difference, and without spikes that may be chance
    double scatter_limit;   // what a further golden run may have of it, 2 or more
    double late_mean, late_relative, late_slope_times_window;
} Band;

// `aligned` holds the golden runs and, as its last series, the target; at least two golden runs.
// `resolution` is what a printed golden value may be off by: sigma is never below it.
// `share` of golden and `least` are the tolerance that counts without noise runs.
void band_measure(const Aligned *aligned, double resolution, double share, double least,
                  Arena *arena, Band *out);

// Without noise runs: the limit is the larger of `share` of golden and `least`; sigma is NULL, the
// shares stay 0, low and high are golden itself.
void band_of_tolerance(const Aligned *pair, double share, double least, Arena *arena, Band *out);

// The excursion that lasts to the end and is longer than both the window and 5 % of the steps, or
// NULL.
const Excursion *band_lasting(const Band *band);

// Step at which the lasting excursion, or else the bump, likely began.
int64_t band_onset(const Band *band);

// Step at which the smoothed difference leaves its limit: that of the lasting excursion, else of
// the bump. False without either.
bool band_crossing(const Band *band, int64_t *step);

// Whether the difference begins before it leaves the limit, by more than the uncertainty of its
// beginning.
bool band_begins_before(const Band *band);

// Whether the difference still moves away from golden at the end: its slope is no scatter
// (Student's t at 1 %, with the autocorrelation), and large next to the difference.
bool band_still_moves(const Band *band);

// The first step that differs by more than the tolerance, or than normal scatter does anywhere in
// 99 of 100 runs of that length. False if no step does.
bool band_first_beyond(const Band *band, int64_t *step);

#endif
