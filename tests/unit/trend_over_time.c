// SPDX-License-Identifier: Apache-2.0
#include "trend/over_time.h"

#include <math.h>

#include "check.h"

enum { COUNT = 100 };

typedef struct Fixture {
    Arena *arena;
    Point points[COUNT], durations[COUNT], times[COUNT];
    Series series[2];
    Run run;
    Runs runs;
    CurveReport report;
} Fixture;

static void begin(Fixture *fixture)
{
    *fixture = (Fixture){.arena = arena_new()};
    for (int i = 0; i < COUNT; i++) {
        fixture->points[i] = (Point){i + 1, 3 - 0.01 * i};
        fixture->durations[i] = (Point){i + 1, 2000};
        fixture->times[i] = (Point){i + 1, 1e9 + 10 * i};
    }
    fixture->series[0] = (Series){.name = STR("loss"), .points = fixture->points, .count = COUNT};
    fixture->run = (Run){.name = STR("run"), .series = fixture->series, .series_count = 1};
    fixture->run.times = (Points){fixture->times, COUNT, COUNT};
    fixture->runs = (Runs){&fixture->run, 1, 1};
}

static bool place(Fixture *fixture, Runs *runs)
{
    CurveReport timed;
    const Run *lacking;
    curves_judge(&fixture->runs, CRITERION_LONG, NULL, fixture->arena, &fixture->report);
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
    CHECK(loss->points[0].x == 0 && loss->points[1].x == 10000);
    CHECK(loss->points[99].x == 990000 && loss->points[99].value == fixture.points[99].value);
    CHECK(fixture.points[99].x == 100);
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
    CHECK(run_series(&runs.items[0], "loss")->points[99].x == 198000);
    arena_release(fixture.arena);
}

static void a_clock_that_is_set_back_never_loses_a_point(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    for (int i = 50; i < COUNT; i++)
        fixture.times[i].value = 1e9;
    CHECK(place(&fixture, &runs));
    const Series *loss = run_series(&runs.items[0], "loss");
    CHECK(loss->count == COUNT);
    for (size_t i = 1; i < loss->count; i++)
        CHECK(loss->points[i].x > loss->points[i - 1].x);
    arena_release(fixture.arena);
}

static void missing_steps_and_long_pauses_break_the_line(void)
{
    Fixture fixture;
    Runs runs;
    begin(&fixture);
    for (int i = 40; i < COUNT; i++)
        fixture.points[i].x = fixture.times[i].x += 20;
    for (int i = 80; i < COUNT; i++)
        fixture.times[i].value += 3600;
    CHECK(place(&fixture, &runs));
    const Series *loss = run_series(&runs.items[0], "loss");
    CHECK(loss->count == COUNT + 2);
    CHECK(point_is_absent(loss->points[40].value));
    CHECK(point_is_absent(loss->points[81].value));
    arena_release(fixture.arena);
}

int main(void)
{
    CHECK_RUN(steps_become_milliseconds_since_the_first_record);
    CHECK_RUN(a_log_without_times_is_placed_by_the_times_of_its_steps);
    CHECK_RUN(a_clock_that_is_set_back_never_loses_a_point);
    CHECK_RUN(missing_steps_and_long_pauses_break_the_line);
    return check_failures != 0;
}
