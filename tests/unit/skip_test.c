// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/skip.h"

#include <math.h>

#include "base/array.h"
#include "check.h"

static Arena *arena;

static Series norm_of(const double *values, size_t count)
{
    PointColumns points = point_columns(arena, count);
    for (size_t i = 0; i < count; i++) {
        points.x[i] = (int64_t)i + 1;
        points.value[i] = values[i];
    }
    return (Series){.name = STR("grad_norm"), .points = points, .count = count, .decimals = 3};
}

static void a_value_at_the_threshold_is_skipped_and_a_row_ends_the_run(void)
{
    double values[] = {1, 3, 1, 3, 4, 1, 3, 3, 3, 1};
    Series norm = norm_of(values, 10);
    SkipResult result;
    skip_simulate(&norm, 3, 3, NULL, arena, &result);
    CHECK(result.skipped_count == 6 && result.longest_row == 3);
    CHECK(result.aborts && result.abort_at == 9);
    skip_simulate(&norm, 3, 4, NULL, arena, &result);
    CHECK(!result.aborts && result.skipped_count == 6);
    skip_simulate(&norm, 5, 3, NULL, arena, &result);
    CHECK(result.skipped_count == 0 && !result.aborts);
}

static Run run_with_spikes(Series *norm, double early)
{
    enum { COUNT = 600 };
    double *values = ARENA_ARRAY(arena, double, COUNT);
    for (int i = 0; i < COUNT; i++)
        values[i] = 1 + 0.05 * (i * 7 % 11) + (i < 40 ? early * (40 - i) / 40 : 0);
    values[300] = 12;
    values[400] = 15;
    values[401] = 20;
    *norm = norm_of(values, COUNT);
    return (Run){.name = STR("r"), .series = norm, .series_count = 1, .skip_threshold = NAN};
}

static void the_suggestion_catches_the_spikes_and_nothing_else(void)
{
    static const double early[] = {0, 3, 8};
    for (size_t i = 0; i < 3; i++) {
        Series norm;
        SkipAdvice advice;
        Run run = run_with_spikes(&norm, early[i]);
        CHECK(skip_advise(&run, arena, &advice));
        CHECK(advice.spikes.count == 2 && !advice.too_short);
        CHECK(advice.suggested.skipped_count == 3 && advice.suggested.caught == 2);
        CHECK(!advice.suggested.aborts && advice.suggested.count > advice.suggested.longest_row);
        CHECK(advice.suggested.skipped[0] == 301 && advice.skipped_share < 0.01);
    }
}

static void without_spikes_it_stays_above_every_norm(void)
{
    double values[300];
    for (int i = 0; i < 300; i++)
        values[i] = 2 + 0.1 * (i % 5);
    Series norm = norm_of(values, 300);
    Run run = {.name = STR("r"), .series = &norm, .series_count = 1};
    SkipAdvice advice;
    CHECK(skip_advise(&run, arena, &advice));
    CHECK(advice.suggested.skipped_count == 0 && advice.suggested.threshold >= 1.1 * 2.4);
    CHECK(isnan(advice.smallest_spike));
    double candidates[12];
    size_t count = skip_candidates(&advice, candidates);
    for (size_t i = 1; i < count; i++)
        CHECK(candidates[i] > candidates[i - 1]);
}

static void a_run_without_norm_gives_no_advice(void)
{
    Run run = {.name = STR("r")};
    SkipAdvice advice;
    CHECK(!skip_advise(&run, arena, &advice));
}

// A norm that falls during a warm-up of 120 steps and is level then; the rate rises meanwhile.
static void the_warm_up_ends_where_the_rate_peaks(void)
{
    enum { COUNT = 600, WARMUP = 120 };
    PointColumns points = point_columns(arena, COUNT);
    double *values = ARENA_ARRAY(arena, double, COUNT);
    for (int i = 0; i < COUNT; i++) {
        values[i] = i < WARMUP ? 9 - 8.0 * i / WARMUP : 1 + 0.05 * (i * 7 % 11);
        points.x[i] = i + 1;
        points.value[i] = i < WARMUP ? 1e-4 * (i + 1) / WARMUP : 1e-4 * (COUNT - i) / COUNT;
    }
    Series series[] = {norm_of(values, COUNT),
                       {.name = STR("lr"), .points = points, .count = COUNT}};
    Run run = {.name = STR("r"), .series = series, .series_count = 1};
    SkipAdvice with, without;
    CHECK(skip_advise(&run, arena, &without));
    CHECK(without.warmup_end == 51 && without.largest_normal > 5);
    run.series_count = 2;
    CHECK(skip_advise(&run, arena, &with));
    CHECK(with.warmup_end == WARMUP && with.largest_normal <= 1.5);
    CHECK(with.judged == COUNT - WARMUP);
    // A rate that only falls says nothing about a warm-up, nor does one that peaks near the end.
    for (int i = 0; i < COUNT; i++)
        points.value[i] = 1e-4 * (COUNT - i);
    CHECK(skip_advise(&run, arena, &with) && with.warmup_end == 51);
    for (int i = 0; i < COUNT; i++)
        points.value[i] = 1e-4 * (i + 1);
    CHECK(skip_advise(&run, arena, &with) && with.warmup_end == 51);
}

static void norms_that_are_no_numbers_or_0_give_no_advice(void)
{
    double values[] = {0, 0, (double)NAN, -1, (double)INFINITY, 0};
    Series norm = norm_of(values, 6);
    Run run = {.name = STR("r"), .series = &norm, .series_count = 1};
    SkipAdvice advice;
    CHECK(!skip_advise(&run, arena, &advice));
    norm.count = 0;
    CHECK(!skip_advise(&run, arena, &advice));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_value_at_the_threshold_is_skipped_and_a_row_ends_the_run);
    CHECK_RUN(the_suggestion_catches_the_spikes_and_nothing_else);
    CHECK_RUN(without_spikes_it_stays_above_every_norm);
    CHECK_RUN(a_run_without_norm_gives_no_advice);
    CHECK_RUN(the_warm_up_ends_where_the_rate_peaks);
    CHECK_RUN(norms_that_are_no_numbers_or_0_give_no_advice);
    arena_release(arena);
    return CHECK_RESULT;
}
