// SPDX-License-Identifier: Apache-2.0
#include "model/run/rekey.h"

#include <math.h>

#include "check.h"

enum { COUNT = 10 };

typedef struct Fixture {
    Arena *arena;
    PointColumns loss, other, third;
    Series series[3];
    Event events[4];
    Run run;
} Fixture;

// A loss at steps 1 to 10; the other series have `other` and `third` at every step.
static void begin(Fixture *fixture, const char *other, double (*value)(int64_t), const char *third,
                  double constant)
{
    *fixture = (Fixture){.arena = arena_new()};
    fixture->loss = point_columns(fixture->arena, COUNT);
    fixture->other = point_columns(fixture->arena, COUNT);
    fixture->third = point_columns(fixture->arena, COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        fixture->loss.x[i] = i + 1;
        fixture->loss.value[i] = 3 - 0.1 * (double)i;
        fixture->other.x[i] = i + 1;
        fixture->other.value[i] = value ? value(i + 1) : 0;
        fixture->third.x[i] = i + 1;
        fixture->third.value[i] = constant;
    }
    fixture->series[0] = (Series){.name = STR("loss"), .points = fixture->loss, .count = COUNT};
    fixture->series[1] = (Series){
        .name = str_of(other ? other : "unused"), .points = fixture->other, .count = COUNT};
    fixture->series[2] = (Series){
        .name = str_of(third ? third : "unused"), .points = fixture->third, .count = COUNT};
    fixture->run = (Run){.series = fixture->series, .series_count = 3, .x_unit = "step"};
}

static double by_32(int64_t step)
{
    return 32 * (double)step;
}

static double constant_32(int64_t step)
{
    (void)step;
    return 32;
}

static double growing(int64_t step)
{
    return step < 5 ? 16 : 32;
}

static double set_back(int64_t step)
{
    return step <= 7 ? 32 * (double)step : 32 * (double)(step - 6);
}

static double broken(int64_t step)
{
    return step == 4 ? NAN : 32 * (double)step;
}

static bool rises(const Series *series)
{
    for (size_t i = 1; i < series->count; i++)
        if (series->points.x[i] <= series->points.x[i - 1])
            return false;
    return true;
}

static void samples_and_tokens_come_from_the_counters_of_the_log(void)
{
    Fixture f;
    begin(&f, "consumed_samples", by_32, NULL, 0);
    CHECK(rekey_run(&f.run, X_SAMPLES, f.arena));
    CHECK(f.run.series[0].points.x[9] == 320 && f.run.series[0].points.value[9] == f.loss.value[9]);
    CHECK_TEXT(str_of(f.run.x_unit), "samples");
    CHECK(f.loss.x[9] == 10);
    arena_release(f.arena);
    begin(&f, "consumed_tokens", by_32, NULL, 0);
    CHECK(rekey_run(&f.run, X_TOKENS, f.arena) && f.run.series[0].points.x[0] == 32);
    arena_release(f.arena);
    begin(&f, "consumed_samples", broken, NULL, 0);
    CHECK(rekey_run(&f.run, X_SAMPLES, f.arena) && f.run.series[0].count == COUNT - 1);
    CHECK(f.run.series[0].points.x[3] == 160);
    arena_release(f.arena);
}

static void without_counters_constant_sizes_are_multiplied(void)
{
    Fixture f;
    begin(&f, "batch_size", constant_32, NULL, 0);
    CHECK(rekey_run(&f.run, X_SAMPLES, f.arena) && f.run.series[0].points.x[9] == 320);
    arena_release(f.arena);
    begin(&f, "batch_size", constant_32, "seq_length", 100);
    CHECK(rekey_run(&f.run, X_TOKENS, f.arena) && f.run.series[0].points.x[9] == 32000);
    arena_release(f.arena);
    begin(&f, "consumed_samples", by_32, "seq_length", 100);
    CHECK(rekey_run(&f.run, X_TOKENS, f.arena) && f.run.series[0].points.x[1] == 6400);
    arena_release(f.arena);
}

static void a_run_that_does_not_tell_is_left_as_it_is(void)
{
    Fixture f;
    begin(&f, "batch_size", growing, NULL, 0);  // ramps up: step x size would be wrong
    CHECK(!rekey_run(&f.run, X_SAMPLES, f.arena) && !rekey_run(&f.run, X_TOKENS, f.arena));
    CHECK(f.run.series == f.series && f.run.series[0].points.x == f.loss.x);
    CHECK_TEXT(str_of(f.run.x_unit), "step");
    CHECK(rekey_run(&f.run, X_STEP, f.arena) && f.run.series == f.series);
    arena_release(f.arena);
}

static void updates_leave_out_skipped_steps_and_events_move_along(void)
{
    Fixture f;
    begin(&f, NULL, NULL, NULL, 0);
    f.events[0] = (Event){.step = 3, .kind = EVENT_SKIP, .count = 1};
    f.events[1] = (Event){.step = 4, .kind = EVENT_CHECKPOINT, .count = 1};
    f.events[2] = (Event){.step = 6, .kind = EVENT_SKIP, .count = 1};
    f.events[3] = (Event){.step = 10, .kind = EVENT_ABORT, .count = 1};
    f.run.events = (Events){f.events, 4, 4};
    CHECK(rekey_run(&f.run, X_UPDATES, f.arena));
    const Series *loss = &f.run.series[0];
    CHECK(loss->count == COUNT - 2 && rises(loss));
    // Step 3 was skipped, so update 2 has what was printed last at it.
    CHECK(loss->points.x[1] == 2 && loss->points.value[1] == f.loss.value[2]);
    CHECK(loss->points.x[7] == 8 && loss->points.value[7] == f.loss.value[9]);
    CHECK(f.run.events.count == 4 && f.run.events.items[1].step == 3);
    CHECK(f.run.events.items[3].step == 8 && f.run.events.items[3].kind == EVENT_ABORT);
    CHECK(f.events[3].step == 10);
    arena_release(f.arena);
}

// An overflow is an update that was not applied, unless a counter of the log tells of it anyway.
static void an_overflow_is_no_update(void)
{
    Fixture f;
    begin(&f, NULL, NULL, NULL, 0);
    f.events[0] = (Event){.step = 3, .kind = EVENT_OVERFLOW, .rank = 0, .count = 1};
    f.events[1] = (Event){.step = 3, .kind = EVENT_OVERFLOW, .rank = 1, .count = 1};
    f.events[2] = (Event){.step = 6, .kind = EVENT_SKIP, .count = 1};
    f.events[3] = (Event){.step = 6, .kind = EVENT_OVERFLOW, .count = 1};
    f.run.events = (Events){f.events, 4, 4};
    f.run.format = "mindformers";
    CHECK(rekey_run(&f.run, X_UPDATES, f.arena) && f.run.series[0].points.x[7] == 8);
    CHECK(f.run.series[0].count == COUNT - 2);
    arena_release(f.arena);
    begin(&f, NULL, NULL, NULL, 0);
    f.events[0] = (Event){.step = 1, .kind = EVENT_OVERFLOW, .count = 1};
    f.events[1] = (Event){.step = 10, .kind = EVENT_SKIP, .count = 1};
    f.run.events = (Events){f.events, 2, 4};
    f.run.format = "megatron";
    CHECK(rekey_run(&f.run, X_UPDATES, f.arena) && f.run.series[0].count == COUNT - 1);
    arena_release(f.arena);
}

// Half of 400,000 steps skipped: looked for one by one they would take minutes.
static void updates_cost_points_and_skips_once_each(void)
{
    enum { MANY = 400000 };
    Arena *arena = arena_new();
    PointColumns points = point_columns(arena, MANY);
    Event *events = ARENA_ARRAY(arena, Event, MANY / 2);
    for (int64_t i = 0; i < MANY; i++) {
        points.x[i] = i + 1;
        points.value[i] = (double)i;
        events[i / 2] = (Event){.step = i + 1, .kind = EVENT_SKIP, .count = 1};
    }
    Series series[4];
    for (size_t i = 0; i < 4; i++)
        series[i] = (Series){.name = STR("loss"), .points = points, .count = MANY};
    Run run = {.series = series, .series_count = 4, .events = {events, MANY / 2, MANY / 2}};
    CHECK(rekey_run(&run, X_UPDATES, arena));
    for (size_t i = 0; i < 4; i++) {
        const Series *loss = &run.series[i];
        CHECK(loss->count == MANY / 2 && rises(loss));
        CHECK(loss->points.x[loss->count - 1] == MANY / 2);
        CHECK(loss->points.value[loss->count - 1] == MANY - 1);
    }
    CHECK(run.events.items[MANY / 2 - 1].step == MANY / 2);
    arena_release(arena);
}

static void a_counter_that_is_set_back_starts_anew_from_there(void)
{
    Fixture f;
    begin(&f, "consumed_samples", set_back, NULL, 0);
    CHECK(rekey_run(&f.run, X_SAMPLES, f.arena));
    const Series *loss = &f.run.series[0];
    CHECK(rises(loss) && loss->count == 4);
    CHECK(loss->points.x[0] == 32 && loss->points.value[0] == f.loss.value[0]);
    CHECK(loss->points.x[1] == 64 && loss->points.value[1] == f.loss.value[7]);
    CHECK(loss->points.x[3] == 128 && loss->points.value[3] == f.loss.value[9]);
    arena_release(f.arena);
}

static void a_range_keeps_its_ends_in_series_and_events(void)
{
    static const int64_t absent[] = {2, 5, 9};
    Fixture f;
    begin(&f, NULL, NULL, NULL, 0);
    f.events[0] = (Event){.step = 3, .kind = EVENT_SKIP, .count = 1};
    f.events[1] = (Event){.step = 4, .kind = EVENT_SKIP, .count = 1};
    f.events[2] = (Event){.step = 9, .kind = EVENT_SKIP, .count = 1};
    f.run.events = (Events){f.events, 3, 4};
    f.series[0].absent = absent;
    f.series[0].absent_count = 3;
    clip_run(&f.run, 4, 8, f.arena);
    CHECK(f.run.series[0].count == 5 && f.run.series[0].points.x[0] == 4);
    CHECK(f.run.series[0].points.x[4] == 8);
    CHECK(f.run.series[0].absent_count == 1 && f.run.series[0].absent[0] == 5);
    CHECK(f.run.events.count == 1 && f.run.events.items[0].step == 4);
    clip_run(&f.run, 100, 200, f.arena);
    CHECK(f.run.series[0].count == 0 && f.run.events.count == 0);
    arena_release(f.arena);
}

int main(void)
{
    CHECK_RUN(samples_and_tokens_come_from_the_counters_of_the_log);
    CHECK_RUN(without_counters_constant_sizes_are_multiplied);
    CHECK_RUN(a_run_that_does_not_tell_is_left_as_it_is);
    CHECK_RUN(updates_leave_out_skipped_steps_and_events_move_along);
    CHECK_RUN(an_overflow_is_no_update);
    CHECK_RUN(updates_cost_points_and_skips_once_each);
    CHECK_RUN(a_counter_that_is_set_back_starts_anew_from_there);
    CHECK_RUN(a_range_keeps_its_ends_in_series_and_events);
    return CHECK_RESULT;
}
