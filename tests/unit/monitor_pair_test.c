// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_pair.h"

#include <math.h>

#include "check.h"

enum { STEPS = 4 };

static Arena *arena;

static MonitorRun new_run(void)
{
    static const int64_t steps[STEPS] = {10, 20, 30, 40};
    MonitorRun run = {.arena = arena, .names = names_new(arena), .steps = steps};
    run.step_count = STEPS;
    run.series = ARENA_ARRAY(arena, MonitorSeries, 8);
    return run;
}

// A series with a value at each step; an absent one has no point.
static void add(MonitorRun *run, const char *type, const char *name, const char *op, int64_t rank,
                const double values[STEPS])
{
    MonitorPoint *points = ARENA_ARRAY(arena, MonitorPoint, STEPS);
    MonitorSeries *series = &run->series[run->series_count++];
    *series = (MonitorSeries){.object = {.type = names_add(run->names, str_of(type)),
                                         .name = names_add(run->names, str_of(name)),
                                         .op = names_add(run->names, str_of(op)),
                                         .micro = MONITOR_NONE},
                              .rank = rank,
                              .points = points};
    for (uint32_t i = 0; i < STEPS; i++)
        if (!monitor_is_absent(values[i]))
            points[series->count++] = (MonitorPoint){i, values[i]};
}

static const double ones[STEPS] = {1, 1, 1, 1};

static void names_pair_from_their_last_layers_on(void)
{
    MonitorRun golden = new_run(), target = new_run();
    MonitorPairing pairing;
    add(&golden, "grad_reduced", "module.decoder.layers.0.w", "norm", 0, ones);
    add(&golden, "grad_reduced", "module.decoder.layers.0.w", "norm", 1, ones);
    add(&golden, "grad_reduced", "lost", "norm", 0, ones);
    add(&target, "grad_reduced", "new", "norm", 0, ones);
    add(&target, "grad_reduced", "model.layers.0.w", "norm", 1, ones);
    add(&target, "grad_reduced", "model.layers.0.w", "mean", 1, ones);
    add(&target, "actv", "model.layers.0.w", "norm", 1, ones);
    monitor_pair(&golden, &target, arena, &pairing);
    CHECK(pairing.matched == 1 && pairing.golden_of[1] == 1);
    CHECK(pairing.target_only == 3 && pairing.golden_only == 2);
    CHECK(pairing.golden_of[0] == SIZE_MAX && pairing.golden_of[3] == SIZE_MAX);
}

static void types_of(MonitorRun *run, const char *first, const char *second)
{
    Str *types = ARENA_ARRAY(arena, Str, 2);
    types[0] = str_of(first);
    types[1] = str_of(second);
    run->types = types;
    run->type_count = second ? 2 : 1;
    for (size_t s = 0; s < run->series_count; s++)
        run->series[s].order = run->series[s].object.name;
}

static void what_only_one_run_has_is_named_and_a_whole_type_once(void)
{
    MonitorRun golden = new_run(), target = new_run();
    MonitorPairing pairing;
    MonitorDifferences out = {0};
    add(&golden, "grad_reduced", "layers.0.w", "norm", 0, ones);
    add(&golden, "grad_reduced", "layers.1.w", "norm", 0, ones);
    add(&golden, "grad_reduced", "layers.1.w", "norm", 1, ones);
    add(&golden, "param", "layers.0.w", "norm", 0, ones);
    add(&golden, "param", "layers.1.w", "norm", 0, ones);
    add(&target, "grad_reduced", "layers.0.w", "norm", 0, ones);
    add(&target, "grad_reduced", "layers.0.w", "mean", 0, ones);
    add(&target, "grad_reduced", "layers.2.w", "norm", 3, ones);
    types_of(&golden, "grad_reduced", "param");
    types_of(&target, "grad_reduced", NULL);
    monitor_pair(&golden, &target, arena, &pairing);
    CHECK(pairing.target_of[0] == 0 && pairing.target_of[1] == SIZE_MAX);
    monitor_differences(&pairing, arena, &out);
    CHECK(out.missing_count == 3);
    CHECK(out.missing[0].in_golden && out.missing[0].ranks == 2 && out.missing[0].objects == 1);
    CHECK_TEXT(out.missing[0].name, "layers.1.w");
    CHECK(out.missing[1].in_golden && out.missing[1].name.size == 0);
    CHECK(out.missing[1].objects == 2 && out.missing[1].ranks == 1);
    CHECK_TEXT(out.missing[1].type, "param");
    CHECK(!out.missing[2].in_golden);
    CHECK_TEXT(out.missing[2].name, "layers.2.w");
}

static MonitorDifference difference_of(const double golden[STEPS], const double target[STEPS])
{
    MonitorRun left = new_run(), right = new_run();
    MonitorPairing pairing;
    MonitorDifferences differences = {0};
    add(&left, "grad_reduced", "layers.0.w", "norm", 0, golden);
    add(&left, "grad_reduced", "layers.1.w", "norm", 0, ones);
    add(&right, "grad_reduced", "layers.0.w", "norm", 0, target);
    add(&right, "grad_reduced", "layers.1.w", "norm", 0, ones);
    monitor_pair(&left, &right, arena, &pairing);
    monitor_differences(&pairing, arena, &differences);
    CHECK(differences.count == 1 && differences.items[0].series == 2);
    return differences.items[0];
}

static void the_largest_ratio_is_the_one_furthest_from_1_in_either_direction(void)
{
    static const double larger[STEPS] = {1, 3, 1, 1}, smaller[STEPS] = {1, 3, 1, 0.125};
    MonitorDifference up = difference_of(ones, larger), down = difference_of(ones, smaller);
    CHECK(up.largest_ratio == 3 && up.step == 20 && up.points == 8);
    CHECK(up.median_ratio == 1 && up.one_sided_nan == 0);
    CHECK(down.largest_ratio == 0.125 && down.step == 40);
    CHECK_TEXT(down.name, "layers.0.w");
}

static void a_nan_on_one_side_is_the_largest_difference(void)
{
    static const double bad[STEPS] = {1, 1, NAN, 9};
    MonitorDifference target = difference_of(ones, bad), golden = difference_of(bad, ones);
    CHECK(target.one_sided_nan == 1 && isinf(target.largest_ratio) && target.step == 30);
    CHECK(golden.one_sided_nan == 1 && isinf(golden.largest_ratio) && golden.step == 30);
    MonitorDifference both = difference_of(bad, bad);
    CHECK(both.one_sided_nan == 0 && both.points == 7 && both.largest_ratio == 1);
}

static void zeros_and_infinities_on_both_sides_agree(void)
{
    static const double odd[STEPS] = {0, (double)INFINITY, 1, 1};
    static const double flipped[STEPS] = {0, -(double)INFINITY, 1, 1};
    MonitorDifference same = difference_of(odd, odd), other = difference_of(odd, flipped);
    CHECK(same.largest_ratio == 1 && same.points == 8);
    CHECK(other.points == 8 && other.largest_ratio == 1);  // magnitudes are compared
    MonitorDifference lost = difference_of(ones, odd);
    CHECK(lost.largest_ratio == 0 && lost.step == 10);
}

static void steps_that_only_one_run_has_are_left_out(void)
{
    const double partial[STEPS] = {monitor_absent(), 2, monitor_absent(), 1};
    MonitorDifference golden = difference_of(partial, ones), target = difference_of(ones, partial);
    CHECK(golden.points == 6 && golden.largest_ratio == 0.5 && golden.step == 20);
    CHECK(target.points == 6 && target.largest_ratio == 2 && target.step == 20);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(names_pair_from_their_last_layers_on);
    CHECK_RUN(what_only_one_run_has_is_named_and_a_whole_type_once);
    CHECK_RUN(the_largest_ratio_is_the_one_furthest_from_1_in_either_direction);
    CHECK_RUN(a_nan_on_one_side_is_the_largest_difference);
    CHECK_RUN(zeros_and_infinities_on_both_sides_agree);
    CHECK_RUN(steps_that_only_one_run_has_are_left_out);
    arena_release(arena);
    return CHECK_RESULT;
}
