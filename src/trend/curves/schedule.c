// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/schedule.h"

#include <math.h>

// Rates that are this near over steps need no look at skips: one schedule that is computed twice
// agrees to more digits (docs/spec/curves.md §5.9). A smaller limit costs a search in vain; one
// above the tolerance of rates would call a run that skips outside.
#define SCHEDULES_EQUAL 1e-4

// Over applied updates the rates have to fit so many times better. Chosen: where the skips are the
// reason, rounding is what is left, orders of magnitude less. A smaller factor takes chance for
// skips, and the report says so; a much larger one needs more digits than are printed.
#define UPDATES_BETTER 10

static double worst_at(const Series *golden, const Series *target, int64_t shift)
{
    Arena *scratch = arena_new();
    const Series *both[] = {golden, target};
    Aligned pair;
    align_series(both, 2, false, shift, scratch, &pair);
    double worst = -1;
    for (size_t i = 0; i < pair.count; i++) {
        double rate = pair.values[0][i];
        double error = fabs(pair.values[1][i] - rate) / rate;
        if (rate > 0 && error > worst)
            worst = error;
    }
    arena_release(scratch);
    return worst < 0 ? INFINITY : worst;
}

static double best_shift(const Series *golden, const Series *target, int64_t *shift)
{
    static const int64_t shifts[] = {0, -1, 1, -2, 2};
    double best = INFINITY;
    *shift = 0;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts && best > 0; i++) {
        double worst = worst_at(golden, target, shifts[i]);
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
    out->worst_relative = best_shift(golden, target, &out->step_shift);
    if (out->worst_relative < SCHEDULES_EQUAL || (!has_skips(golden_run) && !has_skips(target_run)))
        return;
    Series golden_updates = over_updates(golden_run, golden, arena);
    Series target_updates = over_updates(target_run, target, arena);
    int64_t shift;
    double worst = best_shift(&golden_updates, &target_updates, &shift);
    if (worst < out->worst_relative / UPDATES_BETTER) {
        out->by_updates = true;
        out->step_shift = shift;
        out->worst_relative = worst;
        out->golden = golden_updates;
        out->target = target_updates;
    }
}

bool schedule_peak(const Series *rate, Point *out)
{
    *out = (Point){0};
    for (size_t i = 0; i < rate->count; i++)
        if (rate->points.value[i] > out->value)
            *out = point_at(rate->points, i);
    return out->value > 0 && out->value > rate->points.value[0];
}
