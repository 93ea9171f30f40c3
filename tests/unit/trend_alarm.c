// SPDX-License-Identifier: Apache-2.0
#include "trend/alarm.h"

#include <math.h>

#include "check.h"
#include "trend/alarm_drift.h"
#include "trend/alarm_original.h"

static MonitorRules rules;

static void the_first_value_never_raises_turbulence(void)
{
    OriginalState state = {0};
    OriginalHit hit;
    CHECK(!original_step(&rules, &state, 1e9, true, &hit));
}

static void turbulence_fires_above_one_and_a_half_times_the_running_mean(void)
{
    OriginalState state = {0};
    OriginalHit hit;
    original_step(&rules, &state, 1, true, &hit);
    CHECK(!original_step(&rules, &state, 1.5, true, &hit));
    CHECK(original_step(&rules, &state, 1.6, true, &hit));
    CHECK(hit.rule == ALARM_TURBULENCE);
    CHECK(fabs(hit.history - 1.005) < 1e-12);
}

static void a_collapse_is_not_seen_by_the_original_rule(void)
{
    OriginalState state = {0};
    OriginalHit hit;
    original_step(&rules, &state, 1, true, &hit);
    CHECK(!original_step(&rules, &state, 0, true, &hit));
}

static void one_nan_silences_turbulence_for_ever(void)
{
    OriginalState state = {0};
    OriginalHit hit;
    original_step(&rules, &state, 1, true, &hit);
    CHECK(original_step(&rules, &state, (double)NAN, true, &hit));
    CHECK(hit.rule == ALARM_NAN);
    for (int i = 0; i < 1000; i++)
        CHECK(!original_step(&rules, &state, 1e6 * (i + 1), true, &hit));
}

static void turbulence_of_min_and_max_is_dropped_and_hides_the_nan_rule(void)
{
    MonitorRules turbulence_first = {
        .items = {{true, true, 0.5}, {false, true, 10}},
          .count = 2
    };
    OriginalState state = {0};
    OriginalHit hit;
    original_step(&turbulence_first, &state, 1, false, &hit);
    CHECK(!original_step(&turbulence_first, &state, 100, false, &hit));
}

static void values_on_few_units_are_quantised(void)
{
    OriginalState coarse = {0}, fine = {0};
    for (int i = 1; i <= 100; i++) {
        original_count(&coarse, i <= 5 ? 1e-6 : 1, 1e-6);
        original_count(&fine, i <= 4 ? 1e-6 : 1, 1e-6);
    }
    CHECK(original_quantised(&coarse));
    CHECK(!original_quantised(&fine));
}

// ---- the sound rule

typedef struct Sample {
    Arena *arena;
    MonitorRun run;
    MonitorPoint *points;
    int64_t *steps;
    Alarms alarms;
} Sample;

// A norm that falls slowly and scatters by about 2 %.
static Sample sample(size_t count, double unit)
{
    Sample s = {.arena = arena_new()};
    s.run = (MonitorRun){.arena = s.arena, .names = names_new(s.arena), .series_count = 1};
    s.points = ARENA_ARRAY(s.arena, MonitorPoint, count);
    s.steps = ARENA_ARRAY(s.arena, int64_t, count);
    unsigned random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 1103515245u + 12345u;
        double noise = ((double)(random >> 16 & 0x7fff) / 0x7fff - 0.5) * 0.07;
        s.points[i] = (MonitorPoint){(uint32_t)i, exp(-(double)i / 200 + noise)};
        s.steps[i] = (int64_t)i;
    }
    s.run.steps = s.steps;
    s.run.step_count = count;
    MonitorSeries *series = ARENA_NEW(s.arena, MonitorSeries);
    *series = (MonitorSeries){
        .object = {.type = names_add(s.run.names, STR("grad_reduced")),
                   .name = names_add(s.run.names, STR("layers.0.w")),
                   .op = names_add(s.run.names, STR("norm")),
                   .stage = 0,
                   .micro = MONITOR_NONE},
        .unit = unit,
        .points = s.points,
        .count = count
    };
    s.run.series = series;
    return s;
}

static void judge(Sample *s)
{
    alarms_add_drift(&s->run, false, 1, &s->alarms);
    alarms_rank(&s->alarms);
}

static void a_clean_series_is_quiet(void)
{
    Sample s = sample(2000, 0);
    judge(&s);
    CHECK(s.alarms.count == 0);
    arena_release(s.arena);
}

static void both_directions_are_found_at_every_step_after_the_start(void)
{
    for (size_t at = 14; at < 60; at++)
        for (int up = 0; up < 2; up++) {
            Sample s = sample(60, 0);
            s.points[at].value *= up ? 4 : 0.2;
            judge(&s);
            CHECK(s.alarms.count == 1);
            CHECK(s.alarms.count == 1 && s.alarms.items[0].step == (int64_t)at);
            CHECK(s.alarms.count == 1 && (s.alarms.items[0].ratio > 1) == (up == 1));
            arena_release(s.arena);
        }
}

static void a_collapse_to_zero_is_one_event(void)
{
    Sample s = sample(60, 1e-6);
    for (size_t i = 40; i < 60; i++)
        s.points[i].value = 0;
    judge(&s);
    CHECK(s.alarms.count >= 1 && s.alarms.items[0].step == 40);
    CHECK(s.alarms.count >= 1 && s.alarms.items[0].ratio == 0);
    CHECK(s.alarms.count <= 2);
    arena_release(s.arena);
}

static void a_level_shift_is_one_event_and_the_new_level_is_accepted(void)
{
    Sample s = sample(200, 0);
    for (size_t i = 100; i < 200; i++)
        s.points[i].value *= 5;
    judge(&s);
    CHECK(s.alarms.count == 1 && s.alarms.items[0].step == 100);
    CHECK(s.alarms.count == 1 && s.alarms.items[0].last_step < 125);
    arena_release(s.arena);
}

static void rounding_alone_raises_no_alarm(void)
{
    Sample s = sample(60, 1e-6);
    for (size_t i = 0; i < 60; i++)
        s.points[i].value = i % 7 == 3 ? 0 : i % 11 == 5 ? 2e-6 : 1e-6;
    judge(&s);
    CHECK(s.alarms.count == 0);
    arena_release(s.arena);
}

static void an_infinity_is_always_an_alarm(void)
{
    Sample s = sample(5, 0);
    s.points[0].value = (double)INFINITY;
    judge(&s);
    CHECK(s.alarms.count == 1 && isinf(s.alarms.items[0].value));
    arena_release(s.arena);
}

static void a_mean_that_nobody_confirms_is_weak(void)
{
    Arena *arena = arena_new();
    Alarm items[] = {
        {.rule = ALARM_TURBULENCE,
         .step = 9,
         .type = STR("grad_reduced"),
         .name = STR("a"),
         .ops = {STR("norm")},
         .op_count = 1,
         .micro = MONITOR_NONE},
        {.rule = ALARM_TURBULENCE,
         .step = 5,
         .type = STR("grad_reduced"),
         .name = STR("a"),
         .ops = {STR("mean")},
         .op_count = 1,
         .micro = MONITOR_NONE},
    };
    Alarms alarms = {.items = items, .count = 2};
    alarms_rank(&alarms);
    CHECK(alarms.items[0].step == 5 && alarms.items[0].level == ALARM_WEAK);
    CHECK(alarms_first(&alarms)->step == 9);
    CHECK(alarms_places(&alarms) == 1);
    CHECK_TEXT(alarm_tag(&alarms.items[0], arena), "0:a/rank0/post_grad");
    arena_release(arena);
}

int main(void)
{
    rules = monitor_rules_default();
    CHECK_RUN(the_first_value_never_raises_turbulence);
    CHECK_RUN(turbulence_fires_above_one_and_a_half_times_the_running_mean);
    CHECK_RUN(a_collapse_is_not_seen_by_the_original_rule);
    CHECK_RUN(one_nan_silences_turbulence_for_ever);
    CHECK_RUN(turbulence_of_min_and_max_is_dropped_and_hides_the_nan_rule);
    CHECK_RUN(values_on_few_units_are_quantised);
    CHECK_RUN(a_clean_series_is_quiet);
    CHECK_RUN(both_directions_are_found_at_every_step_after_the_start);
    CHECK_RUN(a_collapse_to_zero_is_one_event);
    CHECK_RUN(a_level_shift_is_one_event_and_the_new_level_is_accepted);
    CHECK_RUN(rounding_alone_raises_no_alarm);
    CHECK_RUN(an_infinity_is_always_an_alarm);
    CHECK_RUN(a_mean_that_nobody_confirms_is_weak);
    return check_failures != 0;
}
