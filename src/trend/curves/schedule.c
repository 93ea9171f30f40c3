// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/schedule.h"

#include <math.h>

static double worst_at(const Series *golden, const Series *target, int64_t shift, Arena *arena)
{
    const Series *both[] = {golden, target};
    Aligned pair;
    align_series(both, 2, false, shift, arena, &pair);
    double worst = -1;
    for (size_t i = 0; i < pair.count; i++) {
        double rate = pair.values[0][i];
        double error = fabs(pair.values[1][i] - rate) / rate;
        if (rate > 0 && error > worst)
            worst = error;
    }
    return worst < 0 ? INFINITY : worst;
}

static double best_shift(const Series *golden, const Series *target, Arena *arena, int64_t *shift)
{
    static const int64_t shifts[] = {0, -1, 1, -2, 2};
    double best = INFINITY;
    *shift = 0;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        double worst = worst_at(golden, target, shifts[i], arena);
        if (worst < best) {
            best = worst;
            *shift = shifts[i];
        }
    }
    return best;
}

// The series over applied updates: x less the skips before it. A skipped step repeats the rate of
// the next one and is left out.
static Series over_updates(const Run *run, const Series *series, Arena *arena)
{
    Series out = *series;
    PointColumns points = point_columns(arena, series->count);
    SkipWalk skips = {.run = run};
    out.count = 0;
    for (size_t i = 0; i < series->count; i++) {
        Point point = point_at(series->points, i);
        skip_walk_to(&skips, point.x);
        if (!skips.now)
            point_put(points, out.count++, (Point){point.x - skips.count, point.value});
    }
    out.points = points;
    return out;
}

static bool has_skips(const Run *run)
{
    SkipWalk skips = {.run = run};
    skip_walk_to(&skips, INT64_MAX);
    return skips.count > 0;
}

void schedule_align(const Run *golden_run, const Series *golden, const Run *target_run,
                    const Series *target, Arena *arena, ScheduleFit *out)
{
    *out = (ScheduleFit){.golden = *golden, .target = *target};
    out->worst_unshifted = worst_at(golden, target, 0, arena);
    out->worst_relative = best_shift(golden, target, arena, &out->step_shift);
    if (out->worst_relative < 1e-4 || (!has_skips(golden_run) && !has_skips(target_run)))
        return;
    Series golden_updates = over_updates(golden_run, golden, arena);
    Series target_updates = over_updates(target_run, target, arena);
    int64_t shift;
    double worst = best_shift(&golden_updates, &target_updates, arena, &shift);
    if (worst < out->worst_relative / 10) {
        out->by_updates = true;
        out->step_shift = shift;
        out->worst_relative = worst;
        out->golden = golden_updates;
        out->target = target_updates;
    }
}

// The rate of each shape at a share of the way from the peak to the end.
static double shape_value(int shape, double share, double steps)
{
    switch (shape) {
    case 0:
        return 1;
    case 1:
        return 1 - share;
    case 2:
        return 0.5 * (1 + cos(acos(-1) * share));
    default:
        return (1 / sqrt(1 + share * steps) - 1 / sqrt(1 + steps)) / (1 - 1 / sqrt(1 + steps));
    }
}

void schedule_shape(const Series *series, ScheduleShape *out)
{
    static const char *const names[] = {"constant", "linear", "cosine", "inverse root"};
    *out = (ScheduleShape){.peak = -1, .shape = "other"};
    size_t peak = 0, last = series->count;
    for (size_t i = 0; i < series->count; i++)
        if (series->points.value[i] > out->peak) {
            out->peak = series->points.value[i];
            peak = i;
        }
    if (last == 0 || out->peak <= 0)
        return;
    out->warmup_end = series->points.x[peak];
    out->final = series->points.value[last - 1];
    double range = out->peak - out->final, steps = (double)(last - 1 - peak), least = 0.02;
    for (int shape = 0; shape < 4; shape++) {
        double worst = 0;
        for (size_t i = peak; i < last && steps > 0; i++) {
            double share = (double)(i - peak) / steps;
            double want =
                shape == 0 ? out->peak : out->final + range * shape_value(shape, share, steps);
            double error = fabs(series->points.value[i] - want) / out->peak;
            worst = error > worst ? error : worst;
        }
        if (worst < least) {
            least = worst;
            out->shape = names[shape];
        }
    }
}
