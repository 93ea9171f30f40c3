// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/drawn_line.h"

#include <math.h>

#include "check.h"

enum { COUNT = 200 };

typedef struct Fixture {
    Arena *arena;
    Point points[COUNT];
    Series series;
    Spikes spikes;
} Fixture;

static void begin(Fixture *fixture)
{
    *fixture = (Fixture){.arena = arena_new()};
    for (int i = 0; i < COUNT; i++)
        fixture->points[i] = (Point){i + 1, 2 + 0.1 * (i % 2)};
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

static void the_default_is_a_debiased_ema_that_lags_too_little_to_be_seen(void)
{
    Arena *arena = arena_new();
    CHECK(drawn_weight(NAN, STR("loss"), 59) == 0);
    CHECK(fabs(drawn_weight(NAN, STR("loss"), 60) - 0.6) < 1e-12);
    CHECK(fabs(drawn_weight(NAN, STR("loss"), 1500) - 0.86) < 1e-12);
    double weight = drawn_weight(NAN, STR("loss"), 1000000);
    CHECK(weight > 0.999 && weight < 1);
    CHECK(drawn_weight(NAN, STR("lr"), 1500) == 0);
    CHECK(str_equal(drawn_filter_text(0.86, arena), STR("debiased EMA 0.86")));
    CHECK(str_equal(drawn_filter_text(31, arena), STR("centred mean of 31")));
    arena_release(arena);
}

static void the_average_starts_at_the_first_value_and_anew_behind_a_gap(void)
{
    Fixture fixture;
    begin(&fixture);
    for (int i = 100; i < COUNT; i++)
        fixture.points[i] = (Point){i + 1000, 50};
    Points line = line_of(&fixture, 0.9);
    CHECK(fabs(line.items[0].value - 2) < 1e-12);
    CHECK(line.items[99].value < 3);
    CHECK(fabs(line.items[100].value - 50) < 1e-9);
    arena_release(fixture.arena);
}

static void a_spike_does_not_lead_the_line(void)
{
    Fixture fixture;
    begin(&fixture);
    fixture.points[120].value = 9;
    Points line = line_of(&fixture, 0.9);
    CHECK(fixture.spikes.count == 1);
    CHECK(isnan(line.items[120].value));
    for (int i = 0; i < COUNT; i++)
        CHECK(i == 120 || (line.items[i].value > 1.9 && line.items[i].value < 2.2));
    arena_release(fixture.arena);
}

static void a_run_that_ends_in_a_spike_ends_there_in_the_line_too(void)
{
    Fixture fixture;
    begin(&fixture);
    for (int i = COUNT - 4; i < COUNT; i++)
        fixture.points[i].value = 90 + i;
    Points line = line_of(&fixture, 0.6);
    CHECK(fixture.spikes.count == 1);
    CHECK(line.items[COUNT - 1].value > 100);
    arena_release(fixture.arena);
}

static void what_is_no_number_breaks_the_line(void)
{
    Fixture fixture;
    begin(&fixture);
    fixture.points[10].value = NAN;
    fixture.points[11].value = INFINITY;
    Points line = line_of(&fixture, 0.6);
    CHECK(isnan(line.items[10].value) && isnan(line.items[11].value));
    CHECK(fabs(line.items[12].value - 2.05) < 0.1);
    arena_release(fixture.arena);
}

int main(void)
{
    CHECK_RUN(the_default_is_a_debiased_ema_that_lags_too_little_to_be_seen);
    CHECK_RUN(the_average_starts_at_the_first_value_and_anew_behind_a_gap);
    CHECK_RUN(a_spike_does_not_lead_the_line);
    CHECK_RUN(a_run_that_ends_in_a_spike_ends_there_in_the_line_too);
    CHECK_RUN(what_is_no_number_breaks_the_line);
    return CHECK_RESULT;
}
