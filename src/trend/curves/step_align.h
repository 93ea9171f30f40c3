// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_STEP_ALIGN_H
#define VERNIER_TREND_CURVES_STEP_ALIGN_H

#include "model/run/series.h"

// Two or more series on common steps (docs/spec/curves.md §5.0).

// values[r][i] is the value of series r at x[i]; x rises. Only steps where all have a value. Both
// may be those of the series themselves.
typedef struct Aligned {
    const int64_t *x;
    double **values;
    size_t series_count, count;
    size_t only[2];  // of two series: steps that only the first, only the second has
} Aligned;

// Steps logged at different intervals: the finer series is averaged over the interval of the
// coarser one when `mean` is set (losses), else its value at that step is taken (norms, rates; also
// losses where the coarser run shows by its values that it prints those of single steps).
// `shift` moves series 1: its value at t is put next to that of series 0 at t + shift.
void align_series(const Series *const *series, size_t count, bool mean, int64_t shift, Arena *arena,
                  Aligned *out);

// The usual distance of two points: the median of up to 1000 of them; 1 for fewer than two points.
int64_t series_spacing(const Series *series, Arena *arena);

#endif
