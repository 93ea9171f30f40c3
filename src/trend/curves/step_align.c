// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/step_align.h"

#include <math.h>
#include <string.h>

#include "trend/curves/smooth.h"

enum { SPACING_SAMPLES = 1000, SAMPLED_MIN = 3 };

int64_t series_spacing(const Series *series, Arena *arena)
{
    if (series->count < 2)
        return 1;
    size_t gaps = series->count - 1, stride = gaps / SPACING_SAMPLES + 1, count = 0;
    double *sample = ARENA_ARRAY(arena, double, gaps / stride + 1);
    for (size_t i = 0; i < gaps; i += stride)
        sample[count++] = (double)(series->points.x[i + 1] - series->points.x[i]);
    double spacing = median_of(sample, count);
    return spacing < 1 ? 1 : (int64_t)spacing;
}

// Sums over windows whose ends rise. Where they overlap so often that values would be read more
// than twice, a sum is put together from that up to `middle` and that after it.
typedef struct Windows {
    const double *values;
    size_t count;   // of the values
    double *ahead;  // by value: the sum from it up to `middle`
    double behind;  // the sum from `middle` up to `end`
    size_t middle, end;
    size_t again;  // values read again
} Windows;

static double window_sum(Windows *windows, size_t from, size_t end)
{
    size_t again = windows->end > from ? windows->end - from : 0;
    if (from < windows->middle && windows->again + again > windows->count) {
        for (size_t i = windows->end; i < end; i++)
            windows->behind += windows->values[i];
        windows->end = end;
        return windows->ahead[from] + windows->behind;
    }
    double sum = 0, back = 0;
    for (size_t i = from; i < end; i++)
        sum += windows->values[i];
    for (size_t i = end; i-- > from;)
        windows->ahead[i] = back += windows->values[i];
    windows->again += again;
    windows->behind = 0;
    windows->middle = windows->end = end;
    return sum;
}

// The series on the steps of a coarser one: the mean over each interval that ends at a step of it.
static Series coarsen(const Series *fine, const Series *coarse, int64_t interval, Arena *arena)
{
    Series out = *fine;
    PointColumns points = point_columns(arena, coarse->count);
    out.count = 0;
    Windows windows = {.values = fine->points.value,
                       .count = fine->count,
                       .ahead = ARENA_ARRAY(arena, double, fine->count + 1)};
    size_t at = 0, end = 0;
    for (size_t i = 0; i < coarse->count; i++) {
        int64_t x = coarse->points.x[i], from = x - interval;
        while (at < fine->count && fine->points.x[at] <= from)
            at++;
        for (end = end < at ? at : end; end < fine->count && fine->points.x[end] <= x;)
            end++;
        bool reached = fine->count && fine->points.x[fine->count - 1] >= x;
        if (end > at && reached)
            point_put(points, out.count++,
                      (Point){x, window_sum(&windows, at, end) / (double)(end - at)});
    }
    out.points = points;
    return out;
}

// Whether the coarser run prints the value of its step and not the mean since the last: it is at
// least twice as near to the finer run's values as to its means. Where the two are of different
// seeds, neither is near.
static bool is_sampled(const Series *fine, const Series *coarse, int64_t interval, Arena *arena)
{
    Series means = coarsen(fine, coarse, interval, arena);
    double *to_mean = ARENA_ARRAY(arena, double, means.count + 1);
    double *to_value = ARENA_ARRAY(arena, double, means.count + 1);
    size_t count = 0, at = 0, of = 0;
    for (size_t i = 0; i < means.count; i++) {
        int64_t x = means.points.x[i];
        while (at < fine->count && fine->points.x[at] < x)
            at++;
        while (coarse->points.x[of] < x)
            of++;
        if (at == fine->count || fine->points.x[at] != x)
            continue;
        double mean = fabs(coarse->points.value[of] - means.points.value[i]);
        double value = fabs(coarse->points.value[of] - fine->points.value[at]);
        if (!isfinite(mean) || !isfinite(value))
            continue;
        to_mean[count] = mean;
        to_value[count++] = value;
    }
    if (count < SAMPLED_MIN)
        return false;
    double mean = median_of(to_mean, count);
    return mean > 0 && 2 * median_of(to_value, count) <= mean;
}

static const Series *coarsest(const Series *const *series, size_t count, Arena *arena,
                              int64_t *most)
{
    const Series *found = series[0];
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t spacing = series_spacing(series[i], arena);
        if (spacing > *most) {
            *most = spacing;
            found = series[i];
        }
    }
    return found;
}

static int64_t shifted(const Series *series, size_t index, size_t at, int64_t shift)
{
    return series->points.x[at] + (index == 1 ? shift : 0);
}

// Walks all series at once; each step of the first is looked for in the others.
static void intersect(const Series *all, size_t count, int64_t shift, Arena *arena, int64_t *x,
                      Aligned *out)
{
    size_t *at = ARENA_ARRAY(arena, size_t, count);
    size_t paired = 0;
    for (size_t i = 0; i < all[0].count; i++) {
        bool everywhere = true;
        int64_t step = all[0].points.x[i];
        for (size_t r = 1; r < count; r++) {
            while (at[r] < all[r].count && shifted(&all[r], r, at[r], shift) < step)
                at[r]++;
            everywhere =
                everywhere && at[r] < all[r].count && shifted(&all[r], r, at[r], shift) == step;
        }
        if (!everywhere)
            continue;
        x[paired] = step - (count > 1 ? shift : 0);
        out->values[0][paired] = all[0].points.value[i];
        for (size_t r = 1; r < count; r++)
            out->values[r][paired] = all[r].points.value[at[r]];
        paired++;
    }
    out->count = paired;
    out->only[0] = all[0].count - paired;
    out->only[1] = count > 1 ? all[1].count - paired : 0;
}

static bool is_finer(const Series *series, int64_t interval, Arena *arena)
{
    return 2 * series_spacing(series, arena) <= interval;
}

// Series of the same steps are aligned as they stand.
static bool same_steps(const Series *all, size_t count, int64_t shift)
{
    for (size_t r = 1; r < count; r++)
        if (all[r].count != all[0].count || shift ||
            (all[r].points.x != all[0].points.x && all[0].count &&
             memcmp(all[r].points.x, all[0].points.x, all[0].count * sizeof *all[0].points.x) != 0))
            return false;
    return true;
}

void align_series(const Series *const *series, size_t count, bool mean, int64_t shift, Arena *arena,
                  Aligned *out)
{
    Series *all = ARENA_ARRAY(arena, Series, count);
    int64_t interval;
    const Series *coarse = coarsest(series, count, arena, &interval);
    for (size_t r = 0; r < count && mean; r++)
        if (is_finer(series[r], interval, arena) && is_sampled(series[r], coarse, interval, arena))
            mean = false;
    for (size_t r = 0; r < count; r++)
        all[r] = mean && is_finer(series[r], interval, arena)
                     ? coarsen(series[r], coarse, interval, arena)
                     : *series[r];
    *out = (Aligned){.series_count = count, .values = ARENA_ARRAY(arena, double *, count)};
    if (same_steps(all, count, shift)) {
        out->x = all[0].points.x;
        out->count = all[0].count;
        for (size_t r = 0; r < count; r++)
            out->values[r] = all[r].points.value;
        return;
    }
    int64_t *x = ARENA_ARRAY(arena, int64_t, all[0].count + 1);
    out->x = x;
    for (size_t r = 0; r < count; r++)
        out->values[r] = ARENA_ARRAY(arena, double, all[0].count + 1);
    intersect(all, count, shift, arena, x, out);
}
