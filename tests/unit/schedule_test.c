// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/schedule.h"

#include <math.h>

#include "base/array.h"
#include "check.h"

// A linear warm-up over 50 updates, then a cosine down to a tenth over 400.
enum { STEPS = 450, WARMUP = 50 };

static Arena *arena;

static double rate_of(int64_t update)
{
    if (update < WARMUP)
        return 1e-5 * (double)update / WARMUP;
    double share = (double)(update - WARMUP) / (STEPS - WARMUP);
    return 1e-6 + 9e-6 * 0.5 * (1 + cos(acos(-1) * share));
}

// The rate that a run prints which skips the updates of `skips`: the schedule waits meanwhile.
static Run run_with_skips(const int64_t *skips, size_t count, Series *rate)
{
    Run run = {.name = STR("r"), .series = rate, .series_count = 1};
    PointColumns points = point_columns(arena, STEPS);
    size_t skipped = 0;
    for (int64_t step = 1; step <= STEPS; step++) {
        points.x[step - 1] = step;
        points.value[step - 1] = rate_of(step - (int64_t)skipped);
        if (skipped < count && skips[skipped] == step)
            skipped++;
    }
    for (size_t i = 0; i < count; i++)
        *ARRAY_PUSH(arena, &run.events) = (Event){.step = skips[i], .kind = EVENT_SKIP, .count = 1};
    *rate = (Series){.name = STR("lr"), .points = points, .count = STEPS, .decimals = 7};
    return run;
}

static void a_schedule_that_lags_by_the_number_of_skips_agrees(void)
{
    static const int64_t skips[] = {60, 61, 200, 320, 321, 322};
    Series left, right;
    ScheduleFit fit;
    Run golden = run_with_skips(NULL, 0, &left), target = run_with_skips(skips, 6, &right);
    schedule_align(&golden, &left, &target, &right, arena, &fit);
    CHECK(fit.by_updates && fit.step_shift == 0 && fit.worst_relative < 1e-12);
    CHECK(fit.target.count == STEPS - 6 && fit.golden.count == STEPS);
    CHECK(series_at(&fit.target, 59) == rate_of(59) && series_at(&fit.target, 60) == rate_of(60));
    CHECK(series_at(&fit.target, STEPS - 6) == rate_of(STEPS - 6));
    schedule_align(&target, &right, &golden, &left, arena, &fit);
    CHECK(fit.by_updates && fit.worst_relative < 1e-12);
}

static void other_events_move_no_schedule(void)
{
    static const int64_t skips[] = {60, 61, 200, 320, 321, 322};
    Series left, right;
    ScheduleFit fit;
    Run golden = run_with_skips(NULL, 0, &left), target = run_with_skips(skips, 6, &right);
    for (size_t i = 0; i < target.events.count; i++)
        target.events.items[i].kind = EVENT_CHECKPOINT;
    schedule_align(&golden, &left, &target, &right, arena, &fit);
    CHECK(!fit.by_updates && fit.worst_relative > 0.005);
    *ARRAY_PUSH(arena, &target.events) = (Event){.step = 400, .kind = EVENT_SKIP, .count = 1};
    schedule_align(&golden, &left, &target, &right, arena, &fit);
    CHECK(!fit.by_updates && fit.worst_relative > 0.005);
}

static void a_skip_told_for_several_steps_at_once_counts_all_of_them(void)
{
    Series left, right;
    ScheduleFit fit;
    Run golden = run_with_skips(NULL, 0, &left), target = run_with_skips(NULL, 0, &right);
    PointColumns points = point_columns(arena, STEPS);
    for (int64_t i = 0; i < STEPS; i++) {
        points.x[i] = i + 1;
        points.value[i] = rate_of(i + 1 > 100 ? i + 1 - 10 : i + 1);
    }
    right.points = points;
    *ARRAY_PUSH(arena, &target.events) = (Event){.step = 100, .kind = EVENT_SKIP, .count = 10};
    schedule_align(&golden, &left, &target, &right, arena, &fit);
    CHECK(fit.by_updates && fit.step_shift == 0 && fit.worst_relative < 1e-12);
}

static void a_printing_convention_is_a_shift_and_not_a_lag(void)
{
    Series left, right;
    ScheduleFit fit;
    Run golden = run_with_skips(NULL, 0, &left), target = run_with_skips(NULL, 0, &right);
    for (int64_t shift = -2; shift <= 2; shift++) {
        PointColumns points = point_columns(arena, STEPS);
        for (int64_t i = 0; i < STEPS; i++) {
            points.x[i] = i + 1;
            points.value[i] = rate_of(i + 3 + shift);
        }
        right.points = points;
        for (int64_t i = 0; i < STEPS; i++)
            left.points.value[i] = rate_of(i + 3);
        schedule_align(&golden, &left, &target, &right, arena, &fit);
        CHECK(fit.step_shift == shift && fit.worst_relative < 1e-12 && !fit.by_updates);
    }
}

static void a_warm_up_ends_at_the_first_of_the_largest_rates(void)
{
    int64_t x[] = {10, 20, 30, 40, 50};
    double value[] = {0, 1e-4, 2e-4, 2e-4, 1e-4};
    Series rate = {.name = STR("lr"), .points = {x, value}, .count = 5};
    Point peak;
    CHECK(schedule_peak(&rate, &peak) && peak.x == 30 && peak.value == 2e-4);
}

static void a_rate_that_never_rises_has_no_warm_up(void)
{
    int64_t x[] = {1, 2, 3};
    double falls[] = {3e-4, 2e-4, 1e-4}, zero[] = {0, 0, 0};
    Series rate = {.name = STR("lr"), .points = {x, falls}, .count = 3};
    Point peak;
    CHECK(!schedule_peak(&rate, &peak));
    rate.points.value = zero;
    CHECK(!schedule_peak(&rate, &peak));
    rate.count = 0;
    CHECK(!schedule_peak(&rate, &peak));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_schedule_that_lags_by_the_number_of_skips_agrees);
    CHECK_RUN(other_events_move_no_schedule);
    CHECK_RUN(a_skip_told_for_several_steps_at_once_counts_all_of_them);
    CHECK_RUN(a_printing_convention_is_a_shift_and_not_a_lag);
    CHECK_RUN(a_warm_up_ends_at_the_first_of_the_largest_rates);
    CHECK_RUN(a_rate_that_never_rises_has_no_warm_up);
    arena_release(arena);
    return CHECK_RESULT;
}
