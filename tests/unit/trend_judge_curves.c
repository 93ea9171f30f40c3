// SPDX-License-Identifier: Apache-2.0
#include "trend/judge_curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "check.h"
#include "model/run_source.h"
#include "trend/smooth.h"

static Arena *arena;
static Notices notices;
static uint64_t seed = 99;

static double noise(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(seed >> 33) / 2147483648.0;
    }
    return sum - 6;
}

enum { STEPS = 1000 };

static void add_run(Runs *runs, RunRole role, const char *name, double (*shift)(int64_t), bool lr0)
{
    Run *run = ARRAY_PUSH(arena, runs);
    *run = (Run){.name = str_of(name), .role = role, .format = "csv", .x_unit = "step"};
    run->series = ARENA_ARRAY(arena, Series, 2);
    run->series_count = 2;
    for (size_t s = 0; s < 2; s++) {
        Point *points = ARENA_ARRAY(arena, Point, STEPS);
        for (int64_t i = 0; i < STEPS; i++) {
            double curve = 3 + 7 * exp(-(double)i / 100);
            points[i] = (Point){i + 1, s ? (lr0 ? 0 : 1e-5) : curve + 0.01 * noise() + shift(i)};
        }
        run->series[s] = (Series){.name = s ? STR("lr") : STR("loss"),
                                  .file = "x",
                                  .rank = -1,
                                  .points = points,
                                  .count = STEPS,
                                  .decimals = 6};
    }
}

static double none(int64_t step)
{
    (void)step;
    return 0;
}

static double late(int64_t step)
{
    return step < 700 ? 0 : 0.06;
}

static double growing(int64_t step)
{
    return step < 600 ? 0 : 0.002 * (double)(step - 600);
}

static double one_spike(int64_t step)
{
    return step == 500 || step == 501 ? 2 : 0;
}

static CurveComparison judge(double (*shift)(int64_t), bool with_noise)
{
    Runs runs = {0};
    CurveReport report;
    add_run(&runs, ROLE_GOLDEN_RUN, "g", none, false);
    if (with_noise)
        add_run(&runs, ROLE_NOISE_RUN, "n", none, false);
    add_run(&runs, ROLE_TARGET_RUN, "t", shift, false);
    curves_judge(&runs, CRITERION_LONG, NULL, arena, &report);
    CHECK(report.count == 2 && report.noise_count == with_noise);
    return report.items[0];
}

static void a_further_run_of_the_same_kind_is_within_noise(void)
{
    for (int i = 0; i < 20; i++) {
        CurveComparison comparison = judge(none, true);
        CHECK(comparison.finding == FINDING_WITHIN && !comparison.beyond);
        CHECK(comparison.band.inside_min_max_share < 0.5);
    }
}

static void a_late_offset_is_stable_and_a_slope_diverges(void)
{
    CurveComparison offset = judge(late, true), slope = judge(growing, true);
    CHECK(offset.finding == FINDING_OFFSET && offset.beyond);
    CHECK(llabs(band_onset(&offset.band, band_lasting(&offset.band)) - 700) < 25);
    CHECK(slope.finding == FINDING_DIVERGING && slope.beyond);
    CHECK(fabs(offset.band.late_mean - 0.06) < 0.005);
}

static void without_noise_runs_it_never_says_noise(void)
{
    CHECK(judge(none, false).finding == FINDING_CANNOT_TELL && !judge(none, false).beyond);
    CHECK(judge(late, false).finding == FINDING_OFFSET);
    CHECK(!judge(late, false).has_band);
}

static void a_run_against_itself_is_the_same(void)
{
    Runs runs = {0};
    CurveReport report;
    add_run(&runs, ROLE_GOLDEN_RUN, "g", none, false);
    *ARRAY_PUSH(arena, &runs) = runs.items[0];
    runs.items[1].role = ROLE_TARGET_RUN;
    curves_judge(&runs, CRITERION_LONG, NULL, arena, &report);
    CHECK(report.items[0].finding == FINDING_WITHIN && report.items[0].stats.max_abs == 0);
}

static void spikes_are_found_with_their_return(void)
{
    Runs runs = {0};
    Spikes spikes = {0};
    add_run(&runs, ROLE_SINGLE, "s", one_spike, false);
    spikes_find(&runs.items[0].series[0], &spike_rule_loss, arena, &spikes);
    CHECK(spikes.count == 1 && spikes.items[0].start == 501 && spikes.items[0].end == 502);
    CHECK(spikes.items[0].returned_after == 1 && !spikes.items[0].level_shift);
}

static void nan_on_one_side_is_a_problem(void)
{
    Runs runs = {0};
    CurveReport report;
    add_run(&runs, ROLE_GOLDEN_RUN, "g", none, false);
    add_run(&runs, ROLE_TARGET_RUN, "t", none, false);
    ((Point *)runs.items[1].series[0].points)[300].value = NAN;
    curves_judge(&runs, CRITERION_LONG, NULL, arena, &report);
    CHECK(report.items[0].beyond && report.items[0].stats.one_sided_at == 301);
}

static void rates_are_aligned_before_they_are_judged(void)
{
    Series golden = {.name = STR("lr"), .count = 200, .decimals = 6, .relative = true};
    Series target = golden;
    Point *left = ARENA_ARRAY(arena, Point, 200), *right = ARENA_ARRAY(arena, Point, 200);
    for (int64_t i = 0; i < 200; i++) {
        left[i] = (Point){i + 1, 1e-7 * (double)(i + 1)};
        right[i] = (Point){i + 1, 1e-7 * (double)i};
    }
    golden.points = left;
    target.points = right;
    Run run = {.name = STR("r")};
    ScheduleFit fit;
    schedule_align(&run, &golden, &run, &target, arena, &fit);
    CHECK(fit.step_shift == -1 && fit.worst_relative < 1e-12);
}

static void filters_leave_out_what_is_no_number(void)
{
    double values[] = {1, NAN, 3, 5, 7}, out[5];
    centred_mean(values, 5, 3, arena, out);
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 4 && out[4] == 6);
    Point points[] = {
        {1, 1  },
        {2, NAN},
        {3, 3  }
    };
    debiased_average(points, 3, 0.5);
    CHECK(points[0].value == 1 && isnan(points[1].value));
    CHECK(fabs(points[2].value - 7.0 / 3) < 1e-12);
    Point same[] = {
        {1, 4},
        {2, 4},
        {3, 4}
    };
    debiased_average(same, 3, 0.9);
    CHECK(same[2].value == 4);
}

// The sample set that several implementations agree on; skipped where it is not there.
static void the_sample_pair_gives_the_reference_numbers(void)
{
    static const char *const names[] = {"bench_run1.log", "bench_run2.log",
                                        "target_late_offset.log"};
    static const RunRole roles[] = {ROLE_GOLDEN_RUN, ROLE_NOISE_RUN, ROLE_TARGET_RUN};
    Runs runs = {0};
    CurveReport report;
    for (size_t i = 0; i < 3; i++) {
        Error err;
        Str path = str_printf(arena, "%s/data/curves/pair/%s", SHARED_DIR, names[i]);
        if (file_kind(str_cstr(arena, path)) != FILE_REGULAR)
            return;
        CHECK(run_source_read(path, roles[i], arena, &runs, &notices, &err));
    }
    curves_judge(&runs, CRITERION_LONG, NULL, arena, &report);
    const CurveComparison *loss = &report.items[0];
    CHECK(loss->stats.points == 1500 && loss->stats.max_at == 1344);
    CHECK(fabs(loss->stats.mae - 0.0185183) < 1e-6);
    CHECK(fabs(loss->band.rms_ratio - 2.74266) < 1e-4);
    CHECK(loss->band.last_inside_step == 1033 && loss->band.excursions.count == 1);
    CHECK(loss->finding == FINDING_OFFSET);
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_further_run_of_the_same_kind_is_within_noise);
    CHECK_RUN(a_late_offset_is_stable_and_a_slope_diverges);
    CHECK_RUN(without_noise_runs_it_never_says_noise);
    CHECK_RUN(a_run_against_itself_is_the_same);
    CHECK_RUN(spikes_are_found_with_their_return);
    CHECK_RUN(nan_on_one_side_is_a_problem);
    CHECK_RUN(rates_are_aligned_before_they_are_judged);
    CHECK_RUN(filters_leave_out_what_is_no_number);
    CHECK_RUN(the_sample_pair_gives_the_reference_numbers);
    arena_release(arena);
    return check_failures != 0;
}
