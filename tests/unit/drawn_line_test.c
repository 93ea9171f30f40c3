// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/drawn_line.h"

#include <math.h>

#include "check.h"

enum { COUNT = 200 };

typedef struct Fixture {
    Arena *arena;
    PointColumns points;
    Series series;
    Spikes spikes;
} Fixture;

static void begin(Fixture *fixture)
{
    *fixture = (Fixture){.arena = arena_new()};
    fixture->points = point_columns(fixture->arena, COUNT);
    for (int i = 0; i < COUNT; i++) {
        fixture->points.x[i] = i + 1;
        fixture->points.value[i] = 2 + 0.1 * (i % 2);
    }
    fixture->series =
        (Series){.name = STR("loss"), .points = fixture->points, .count = COUNT, .decimals = 6};
    fixture->spikes = (Spikes){0};
}

static Points line_of(Fixture *fixture, double weight)
{
    spikes_find(&fixture->series, &spike_rule_loss, fixture->arena, &fixture->spikes);
    DrawnLimits limits = {&fixture->spikes, 1, 100};
    return drawn_line(&fixture->series, &limits, weight, fixture->arena);
}

static void the_default_is_a_centred_window_that_lags_nowhere(void)
{
    Arena *arena = arena_new();
    CHECK(drawn_weight(NAN, STR("loss"), 59) == 0);
    CHECK(drawn_weight(NAN, STR("loss"), 60) == 7);
    CHECK(drawn_weight(NAN, STR("loss"), 1500) == 15);
    CHECK(drawn_weight(NAN, STR("loss"), 1000000) == 10001);
    CHECK(drawn_weight(NAN, STR("lr"), 1500) == 0);
    CHECK(str_equal(drawn_filter_text(0.86, arena), STR("debiased EMA 0.86")));
    CHECK(str_equal(drawn_filter_text(31, arena), STR("centred median, then mean, of 31")));
    arena_release(arena);
}

static void the_average_starts_at_the_first_value_and_anew_behind_a_gap(void)
{
    Fixture fixture;
    begin(&fixture);
    for (int i = 100; i < COUNT; i++) {
        fixture.points.x[i] = i + 1000;
        fixture.points.value[i] = 50;
    }
    Points line = line_of(&fixture, 0.9);
    CHECK(fabs(line.items.value[0] - 2) < 1e-12);
    CHECK(line.items.value[99] < 3);
    CHECK(fabs(line.items.value[100] - 50) < 1e-9);
    arena_release(fixture.arena);
}

static void a_spike_does_not_lead_the_line(void)
{
    Fixture fixture;
    begin(&fixture);
    fixture.points.value[120] = 9;
    Points line = line_of(&fixture, 0.9);
    CHECK(fixture.spikes.count == 1);
    CHECK(isnan(line.items.value[120]));
    for (int i = 0; i < COUNT; i++)
        CHECK(i == 120 || (line.items.value[i] > 1.9 && line.items.value[i] < 2.2));
    arena_release(fixture.arena);
}

static void a_run_that_ends_in_a_spike_ends_there_in_the_line_too(void)
{
    Fixture fixture;
    begin(&fixture);
    for (int i = COUNT - 4; i < COUNT; i++)
        fixture.points.value[i] = 90 + i;
    Points line = line_of(&fixture, 0.6);
    CHECK(fixture.spikes.count == 1);
    CHECK(line.items.value[COUNT - 1] > 100);
    arena_release(fixture.arena);
}

static void a_line_of_medians_neither_dips_after_a_spike_nor_lags_behind_a_step(void)
{
    Fixture fixture;
    begin(&fixture);
    for (int i = 0; i < COUNT; i++)
        fixture.points.value[i] = i < 100 ? 2 : 4;
    fixture.points.value[50] = fixture.points.value[51] = 90;
    DrawnLimits limits = {NULL, 0, 100};
    Points line = drawn_line(&fixture.series, &limits, 15, fixture.arena);
    for (int i = 20; i < COUNT - 20; i++)
        CHECK(fabs(i - 99.5) < 8 || fabs(line.items.value[i] - (i < 100 ? 2 : 4)) < 1e-12);
    CHECK(line.items.value[99] < 3.2 && line.items.value[100] > 2.8);
    arena_release(fixture.arena);
}

static void what_is_no_number_breaks_the_line(void)
{
    Fixture fixture;
    begin(&fixture);
    fixture.points.value[10] = NAN;
    fixture.points.value[11] = INFINITY;
    Points line = line_of(&fixture, 0.6);
    CHECK(isnan(line.items.value[10]) && isnan(line.items.value[11]));
    CHECK(fabs(line.items.value[12] - 2.05) < 0.1);
    arena_release(fixture.arena);
}

int main(void)
{
    CHECK_RUN(the_default_is_a_centred_window_that_lags_nowhere);
    CHECK_RUN(the_average_starts_at_the_first_value_and_anew_behind_a_gap);
    CHECK_RUN(a_spike_does_not_lead_the_line);
    CHECK_RUN(a_run_that_ends_in_a_spike_ends_there_in_the_line_too);
    CHECK_RUN(a_line_of_medians_neither_dips_after_a_spike_nor_lags_behind_a_step);
    CHECK_RUN(what_is_no_number_breaks_the_line);
    return CHECK_RESULT;
}
