// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/over_time.h"

#include <math.h>

#include "check.h"

enum { COUNT = 100 };

typedef struct Fixture {
    Arena *arena;
    PointColumns points, durations, times;
    Series series[2];
    Run run;
    Runs runs;
    CurveFindings report;
} Fixture;

static void begin(Fixture *fixture)
{
    *fixture = (Fixture){.arena = arena_new()};
    fixture->points = point_columns(fixture->arena, COUNT);
    fixture->durations = point_columns(fixture->arena, COUNT);
    fixture->times = point_columns(fixture->arena, COUNT);
    for (int i = 0; i < COUNT; i++) {
        fixture->points.x[i] = i + 1;
        fixture->points.value[i] = 3 - 0.01 * i;
        fixture->durations.x[i] = i + 1;
        fixture->durations.value[i] = 2000;
        fixture->times.x[i] = i + 1;
        fixture->times.value[i] = 1e9 + 10 * i;
    }
    fixture->series[0] = (Series){.name = STR("loss"), .points = fixture->points, .count = COUNT};
    fixture->run = (Run){.name = STR("run"), .series = fixture->series, .series_count = 1};
    fixture->run.times = (Points){fixture->times, COUNT, COUNT, false};
    fixture->runs = (Runs){&fixture->run, 1, 1, NULL};
}

static bool place(Fixture *fixture, Runs *runs)
{
    CurveFindings timed;
    const Run *lacking;
    curves_judge(&fixture->runs, CRITERION_LONG, NULL, NULL, fixture->arena, &fixture->report);
    return curves_over_time(&fixture->report, fixture->arena, runs, &timed, &lacking);
}

static void steps_become_milliseconds_since_the_first_record(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    CHECK(place(&fixture, &runs));
    const Series *loss = run_series(&runs.items[0], "loss");
    CHECK(loss->count == COUNT);
    CHECK(loss->points.x[0] == 0 && loss->points.x[1] == 10000);
    CHECK(loss->points.x[99] == 990000 && loss->points.value[99] == fixture.points.value[99]);
    CHECK(fixture.points.x[99] == 100);
    arena_release(fixture.arena);
}

static void a_log_without_times_is_placed_by_the_times_of_its_steps(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    fixture.run.times.count = 0;
    CHECK(!place(&fixture, &runs));
    fixture.series[1] =
        (Series){.name = STR("step_time_ms"), .points = fixture.durations, .count = COUNT};
    fixture.run.series_count = 2;
    CHECK(place(&fixture, &runs));
    CHECK(run_series(&runs.items[0], "loss")->points.x[99] == 198000);
    arena_release(fixture.arena);
}

static void a_clock_that_is_set_back_never_loses_a_point(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    for (int i = 50; i < COUNT; i++)
        fixture.times.value[i] = 1e9;
    CHECK(place(&fixture, &runs));
    const Series *loss = run_series(&runs.items[0], "loss");
    CHECK(loss->count == COUNT);
    for (size_t i = 1; i < loss->count; i++)
        CHECK(loss->points.x[i] > loss->points.x[i - 1]);
    arena_release(fixture.arena);
}

static void missing_steps_and_long_pauses_break_the_line(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    for (int i = 40; i < COUNT; i++)
        fixture.points.x[i] = fixture.times.x[i] += 20;
    for (int i = 80; i < COUNT; i++)
        fixture.times.value[i] += 3600;
    CHECK(place(&fixture, &runs));
    const Series *loss = run_series(&runs.items[0], "loss");
    CHECK(loss->count == COUNT + 2);
    CHECK(point_is_absent(loss->points.value[40]));
    CHECK(point_is_absent(loss->points.value[81]));
    arena_release(fixture.arena);
}

static void the_difference_breaks_where_the_steps_of_both_runs_do(void)
{
    Fixture fixture;
    Runs runs;
    CurveFindings timed;
    const Run *lacking;
    Run both[2];
    begin(&fixture);
    PointColumns sparse = point_columns(fixture.arena, COUNT);
    both[0] = both[1] = fixture.run;
    both[0].role = ROLE_GOLDEN_RUN;
    both[1].role = ROLE_TARGET_RUN;
    fixture.series[1] = fixture.series[0];
    fixture.series[1].points = sparse;
    fixture.series[1].count = 0;
    for (int i = 0; i < COUNT; i++)  // steps 41 to 60 are not in the log
        if (i < 40 || i >= 60)
            point_put(sparse, fixture.series[1].count++, point_at(fixture.points, (size_t)i));
    both[1].series = &fixture.series[1];
    fixture.runs = (Runs){both, 2, 2, NULL};
    for (int i = 80; i < COUNT; i++)
        fixture.times.value[i] += 3600;
    curves_judge(&fixture.runs, CRITERION_LONG, NULL, NULL, fixture.arena, &fixture.report);
    CHECK(fixture.report.count == 1 && fixture.report.items[0].band.apart == NULL);
    CHECK(curves_over_time(&fixture.report, fixture.arena, &runs, &timed, &lacking));
    const Band *band = &timed.items[0].band;
    CHECK(band->count == 80);
    for (size_t i = 0; i < band->count; i++)
        CHECK(band->apart[i] == (i == 40 || i == 60));
    arena_release(fixture.arena);
}

static void events_and_steps_between_two_records_are_placed_in_proportion(void)
{
    Fixture fixture;
    Runs runs;
    Event events[] = {{.step = 0, .kind = EVENT_RESTART},
                      {.step = 50, .kind = EVENT_SKIP},
                      {.step = 58, .kind = EVENT_CHECKPOINT},
                      {.step = 9999, .kind = EVENT_ABORT}};
    begin(&fixture);
    // Steps 51 to 60 have no record: 100 seconds for ten steps.
    for (int i = 50; i < COUNT; i++) {
        fixture.points.x[i] += 10;
        fixture.times.x[i] += 10;
        fixture.times.value[i] += 100;
    }
    fixture.run.events = (Events){events, 4, 4};
    CHECK(place(&fixture, &runs));
    const Events *placed = &runs.items[0].events;
    CHECK(placed->count == 4 && placed->items[1].kind == EVENT_SKIP);
    CHECK(placed->items[0].step == 0);
    CHECK(placed->items[1].step == 490000);
    CHECK(placed->items[2].step == 570000);
    CHECK(placed->items[3].step == 990000 + 100000);
    CHECK(events[2].step == 58);
    arena_release(fixture.arena);
}

static void spikes_and_the_largest_difference_move_with_their_runs(void)
{
    Fixture fixture;
    Runs runs;
    CurveFindings timed;
    const Run *lacking;
    Run both[2];
    begin(&fixture);
    PointColumns slow = point_columns(fixture.arena, COUNT);
    PointColumns times = point_columns(fixture.arena, COUNT);
    both[0] = both[1] = fixture.run;
    both[0].role = ROLE_GOLDEN_RUN;
    both[1].role = ROLE_TARGET_RUN;
    fixture.series[1] = fixture.series[0];
    fixture.series[1].points = slow;
    for (size_t i = 0; i < COUNT; i++)
        point_put(slow, i, point_at(fixture.points, i));
    slow.value[70] = slow.value[71] = 30;
    slow.value[71] = 40;
    both[1].series = &fixture.series[1];
    for (int i = 0; i < COUNT; i++) {
        times.x[i] = i + 1;
        times.value[i] = 20.0 * i;
    }
    both[1].times.items = times;
    fixture.runs = (Runs){both, 2, 2, NULL};
    curves_judge(&fixture.runs, CRITERION_LONG, NULL, NULL, fixture.arena, &fixture.report);
    CHECK(curves_over_time(&fixture.report, fixture.arena, &runs, &timed, &lacking));
    const Spikes *spikes = curves_spikes(&timed, &runs.items[1], &runs.items[1].series[0]);
    CHECK(spikes && spikes->count == 1);
    CHECK(spikes && spikes->items[0].start == 1400000 && spikes->items[0].peak == 1420000);
    CHECK(spikes && spikes->items[0].end == 1420000 && spikes->items[0].value == 40);
    CHECK(curves_spikes(&timed, &runs.items[0], &runs.items[0].series[0])->count == 0);
    CHECK(timed.items[0].target == &runs.items[1] && timed.items[0].stats.max_at == 1420000);
    CHECK(timed.items[0].target_series == &runs.items[1].series[0]);
    CHECK(timed.items[0].band.x[99] == 1980000 && fixture.report.items[0].band.x[99] == 100);
    arena_release(fixture.arena);
}

static void the_run_that_has_no_times_is_named(void)
{
    Fixture fixture;
    Runs runs;
    CurveFindings timed;
    const Run *lacking = NULL;
    begin(&fixture);
    Run both[2] = {fixture.run, fixture.run};
    both[1].times.count = 1;
    fixture.runs = (Runs){both, 2, 2, NULL};
    curves_judge(&fixture.runs, CRITERION_LONG, NULL, NULL, fixture.arena, &fixture.report);
    CHECK(!curves_over_time(&fixture.report, fixture.arena, &runs, &timed, &lacking));
    CHECK(lacking == &both[1]);
    arena_release(fixture.arena);
}

int main(void)
{
    CHECK_RUN(steps_become_milliseconds_since_the_first_record);
    CHECK_RUN(a_log_without_times_is_placed_by_the_times_of_its_steps);
    CHECK_RUN(a_clock_that_is_set_back_never_loses_a_point);
    CHECK_RUN(missing_steps_and_long_pauses_break_the_line);
    CHECK_RUN(the_difference_breaks_where_the_steps_of_both_runs_do);
    CHECK_RUN(events_and_steps_between_two_records_are_placed_in_proportion);
    CHECK_RUN(spikes_and_the_largest_difference_move_with_their_runs);
    CHECK_RUN(the_run_that_has_no_times_is_named);
    return CHECK_RESULT;
}
