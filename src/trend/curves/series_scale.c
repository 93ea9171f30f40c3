// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/series_scale.h"

#include <math.h>

#include "base/sort.h"
#include "trend/curves/smooth.h"

const double series_absolute_share = 0.01;
#define SCATTER_SHARE 0.25
enum { SCATTER_STEPS = 8 };  // fewer tell no scatter

// A series around 0 has so many of its values on either side, and its course is small next to the
// scatter from step to step: a loss that falls through 0 has a course.
#define SIDE_SHARE   0.1
#define COURSE_SHARE 1.5

// The scatter from step to step, told by the differences of neighbours; `room` has `count` values.
static double step_scatter(const double *values, size_t count, double *room)
{
    size_t n = 0;
    for (size_t i = 1; i < count; i++) {
        double step = fabs(values[i] - values[i - 1]);
        if (isfinite(step))
            room[n++] = step;
    }
    return n >= SCATTER_STEPS ? MAD_TO_SIGMA / sqrt(2) * median_of(room, n) : 0;
}

static bool is_around_zero(const double *values, size_t count, double scatter, double *room)
{
    size_t above = 0, below = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            above += values[i] > 0;
            below += values[i] < 0;
            room[n++] = fabs(values[i]);
        }
    double least = SIDE_SHARE * (double)n;
    return n > SCATTER_STEPS && (double)above >= least && (double)below >= least && scatter > 0 &&
           MAD_TO_SIGMA * median_of(room, n) <= COURSE_SHARE * scatter;
}

SeriesScale series_scale(const Aligned *pair, double absolute)
{
    const double *golden = pair->values[0];
    Arena *scratch = arena_new();
    double *room = ARENA_ARRAY(scratch, double, pair->count + 1);
    SeriesScale out = {.scatter_ratio = 1};
    size_t n = 0;
    out.scatter = step_scatter(golden, pair->count, room);
    out.around_zero = is_around_zero(golden, pair->count, out.scatter, room);
    double other = step_scatter(pair->values[1], pair->count, room);
    out.target_scatter = other;
    if (out.scatter > 0 && other > 0)
        out.scatter_ratio = fmax(other / out.scatter, out.scatter / other);
    for (size_t i = (size_t)((double)pair->count * 0.8); i < pair->count; i++)
        if (isfinite(golden[i]))
            room[n++] = fabs(golden[i]);
    out.level = n ? median_of(room, n) : 0;
    out.absolute = isfinite(absolute) ? absolute
                   : out.around_zero  ? SCATTER_SHARE * out.scatter
                                      : series_absolute_share * out.level;
    arena_release(scratch);
    return out;
}
