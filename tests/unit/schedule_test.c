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
    CHECK(fit.worst_unshifted > 0.02);
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

static ScheduleShape shape_of(double (*rate)(double share))
{
    static int64_t x[STEPS];
    static double value[STEPS];
    PointColumns points = {x, value};
    ScheduleShape shape;
    for (int64_t i = 0; i < STEPS; i++) {
        double share = (double)(i - WARMUP) / (STEPS - 1 - WARMUP);
        points.x[i] = i + 1;
        points.value[i] = i < WARMUP ? 1e-4 * (double)i / WARMUP : 1e-4 * rate(share);
    }
    Series series = {.name = STR("lr"), .points = points, .count = STEPS};
    schedule_shape(&series, &shape);
    return shape;
}

static double constant(double share)
{
    return share < 0 ? 0 : 1;
}

static double linear(double share)
{
    return 1 - 0.9 * share;
}

static double cosine(double share)
{
    return 0.1 + 0.9 * 0.5 * (1 + cos(acos(-1) * share));
}

static double inverse_root(double share)
{
    return 1 / sqrt(1 + share * (STEPS - 1 - WARMUP));
}

static double stairs(double share)
{
    return share < 0.5 ? 1 : 0.1;
}

static void the_shape_after_the_warm_up_is_told(void)
{
    static const struct {
        double (*rate)(double share);
        const char *name;
        double final;
    } cases[] = {
        {constant, "constant", 1e-4},
        {linear, "linear", 1e-5},
        {cosine, "cosine", 1e-5},
        {inverse_root, "inverse root", 1e-4 / 20 /* sqrt(1 + 399) = 20 */},
        {stairs, "other", 1e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ScheduleShape shape = shape_of(cases[i].rate);
        CHECK_TEXT(str_of(shape.shape), cases[i].name);
        CHECK(shape.warmup_end == WARMUP + 1 && shape.peak == 1e-4);
        CHECK(fabs(shape.final - cases[i].final) < 1e-12);
    }
}

static void a_rate_that_is_0_throughout_has_no_shape(void)
{
    PointColumns points = {(int64_t[]){1, 2}, (double[]){0, 0}};
    Series series = {.name = STR("lr"), .points = points, .count = 2};
    ScheduleShape shape;
    schedule_shape(&series, &shape);
    CHECK_TEXT(str_of(shape.shape), "other");
    CHECK(shape.peak == 0 && shape.warmup_end == 0);
    series.count = 0;
    schedule_shape(&series, &shape);
    CHECK_TEXT(str_of(shape.shape), "other");
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_schedule_that_lags_by_the_number_of_skips_agrees);
    CHECK_RUN(other_events_move_no_schedule);
    CHECK_RUN(a_skip_told_for_several_steps_at_once_counts_all_of_them);
    CHECK_RUN(a_printing_convention_is_a_shift_and_not_a_lag);
    CHECK_RUN(the_shape_after_the_warm_up_is_told);
    CHECK_RUN(a_rate_that_is_0_throughout_has_no_shape);
    arena_release(arena);
    return CHECK_RESULT;
}
