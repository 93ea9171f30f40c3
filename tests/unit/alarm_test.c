// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/alarm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trend/monitor/alarm_drift.h"
#include "trend/monitor/alarm_msprobe.h"

static MonitorRules rules;

static void the_first_value_never_raises_turbulence(void)
{
    MsprobeAlarmState state = {0};
    OriginalHit hit;
    CHECK(!msprobe_alarm_step(&rules, &state, 1e9, true, &hit));
}

static void turbulence_fires_above_one_and_a_half_times_the_running_mean(void)
{
    MsprobeAlarmState state = {0};
    OriginalHit hit;
    msprobe_alarm_step(&rules, &state, 1, true, &hit);
    CHECK(!msprobe_alarm_step(&rules, &state, 1.5, true, &hit));
    CHECK(msprobe_alarm_step(&rules, &state, 1.6, true, &hit));
    CHECK(hit.rule == ALARM_TURBULENCE);
    CHECK(fabs(hit.history - 1.005) < 1e-12);
}

static void a_collapse_is_not_seen_by_the_original_rule(void)
{
    MsprobeAlarmState state = {0};
    OriginalHit hit;
    msprobe_alarm_step(&rules, &state, 1, true, &hit);
    CHECK(!msprobe_alarm_step(&rules, &state, 0, true, &hit));
}

static void one_nan_silences_turbulence_for_ever(void)
{
    MsprobeAlarmState state = {0};
    OriginalHit hit;
    msprobe_alarm_step(&rules, &state, 1, true, &hit);
    CHECK(msprobe_alarm_step(&rules, &state, (double)NAN, true, &hit));
    CHECK(hit.rule == ALARM_NAN);
    for (int i = 0; i < 1000; i++)
        CHECK(!msprobe_alarm_step(&rules, &state, 1e6 * (i + 1), true, &hit));
}

static void turbulence_of_min_and_max_is_dropped_and_hides_the_nan_rule(void)
{
    MonitorRules turbulence_first = {.items = {{true, true, 0.5}, {false, true, 10}}, .count = 2};
    MsprobeAlarmState state = {0};
    OriginalHit hit;
    msprobe_alarm_step(&turbulence_first, &state, 1, false, &hit);
    CHECK(!msprobe_alarm_step(&turbulence_first, &state, 100, false, &hit));
}

static double next_value(uint32_t *random)
{
    static const double rare[] = {0, 1e300, -1e-300, (double)NAN, (double)INFINITY, 1.5, 10};
    *random = *random * 1103515245u + 12345u;
    uint32_t bits = *random >> 8;
    if (bits % 61 == 0)
        return rare[bits / 61 % 7];
    return ((double)(bits % 10000) - 3000) / (bits % 17 == 0 ? 1000 : 10000);
}

static void the_short_way_agrees_with_the_rules_whatever_they_are(void)
{
    static const MonitorRules sets[] = {
        {.items = {{true, true, 0.5}}, .count = 1},
        {.items = {{true, true, 3}, {true, true, -0.25}, {false, true, 1.2}}, .count = 3},
        {.items = {{true, true, -1}, {false, false, 0}}, .count = 2},
        {.items = {{true, true, -1.5}}, .count = 1},
        {.items = {{false, true, -1}, {true, true, 0.5}}, .count = 2},
        {.items = {{true, true, (double)NAN}, {true, true, 0.5}}, .count = 2},
        {.items = {{true, true, (double)INFINITY}, {false, true, (double)NAN}}, .count = 2},
        {.count = 0},
    };
    uint32_t random = 5;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        MsprobeAlarmCalm calm = msprobe_alarm_calm(&sets[set]);
        MsprobeAlarmState fast = {0}, slow = {0};
        for (int i = 0; i < 5000; i++) {
            if (i % 200 == 0)
                fast = slow = (MsprobeAlarmState){0};
            double value = next_value(&random);
            OriginalHit hit = {0}, want = {0};
            bool fires = !msprobe_alarm_step_calm(&calm, &fast, value) &&
                         msprobe_alarm_step(&sets[set], &fast, value, true, &hit);
            CHECK(fires == msprobe_alarm_step(&sets[set], &slow, value, true, &want));
            CHECK(fast.seen == slow.seen);
            CHECK(memcmp(&fast.average, &slow.average, sizeof fast.average) == 0);
        }
    }
}

static void values_on_few_units_are_quantised(void)
{
    MsprobeAlarmState coarse = {0}, fine = {0};
    for (int i = 1; i <= 100; i++) {
        msprobe_alarm_count(&coarse, i <= 5 ? 1e-6 : 1, 1e-6);
        msprobe_alarm_count(&fine, i <= 4 ? 1e-6 : 1, 1e-6);
    }
    CHECK(msprobe_alarm_quantised(&coarse));
    CHECK(!msprobe_alarm_quantised(&fine));
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
    *series = (MonitorSeries){.object = {.type = names_add(s.run.names, STR("grad_reduced")),
                                         .name = names_add(s.run.names, STR("layers.0.w")),
                                         .op = names_add(s.run.names, STR("norm")),
                                         .stage = 0,
                                         .micro = MONITOR_NONE},
                              .unit = unit,
                              .points = s.points,
                              .count = count};
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

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void the_history_of_a_jump_is_the_median_of_the_eleven_values_before(void)
{
    for (size_t at = 12; at < 300; at++) {
        Sample s = sample(300, 0);
        for (size_t i = 0; i < at; i++)  // equal values too
            s.points[i].value = round(40 * s.points[i].value) / 40 + 1;
        double before[11];
        for (size_t i = 0; i < 11; i++)
            before[i] = s.points[at - 11 + i].value;
        qsort(before, 11, sizeof *before, by_size);
        s.points[at].value = 1000;
        s.run.series[0].count = at + 1;
        judge(&s);
        CHECK(s.alarms.count == 1 && s.alarms.items[0].history == before[5]);
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

// ---- ranks and experts

// One object on several ranks, each of another size, all with the same course.
static Sample ranks_sample(size_t rank_count)
{
    Sample s = sample(60, 0);
    MonitorSeries *series = ARENA_ARRAY(s.arena, MonitorSeries, rank_count);
    for (size_t r = 0; r < rank_count; r++) {
        MonitorPoint *points = ARENA_ARRAY(s.arena, MonitorPoint, 60);
        for (size_t i = 0; i < 60; i++)
            points[i] = (MonitorPoint){(uint32_t)i, s.points[i].value * (double)(r + 1)};
        series[r] = s.run.series[0];
        series[r].rank = (int64_t)r;
        series[r].points = points;
    }
    s.run.series = series;
    s.run.series_count = rank_count;
    return s;
}

static void multiply(Sample *s, size_t rank, double factor)
{
    ((MonitorPoint *)s->run.series[rank].points)[50].value *= factor;
}

static void a_smaller_jump_counts_only_where_the_other_ranks_do_not_share_it(void)
{
    Sample alone = ranks_sample(5), shared = ranks_sample(5), few = ranks_sample(3);
    multiply(&alone, 3, 1.8);
    judge(&alone);
    CHECK(alone.alarms.count == 1);
    CHECK(alone.alarms.count == 1 && alone.alarms.items[0].rank == 3);
    CHECK(alone.alarms.count == 1 && alone.alarms.items[0].step == 50);
    for (size_t r = 0; r < 5; r++)
        multiply(&shared, r, 1.8);
    judge(&shared);
    CHECK(shared.alarms.count == 0);
    multiply(&few, 1, 1.8);
    judge(&few);
    CHECK(few.alarms.count == 0);
    arena_release(alone.arena);
    arena_release(shared.arena);
    arena_release(few.arena);
}

static Sample named_sample(const char *name)
{
    Sample s = sample(60, 0);
    s.run.series[0].object.name = names_add(s.run.names, str_of(name));
    return s;
}

static void a_gradient_of_0_is_an_event_at_once_but_of_an_expert_after_three_steps(void)
{
    Sample dense = named_sample("layers.0.w"), idle = named_sample("layers.0.experts.3.w");
    Sample dead = named_sample("layers.0.experts.3.w"),
           usual = named_sample("layers.0.experts.3.w");
    dense.points[30].value = idle.points[30].value = idle.points[31].value = 0;
    judge(&dense);
    CHECK(dense.alarms.count == 1 && dense.alarms.items[0].step == 30);
    judge(&idle);
    CHECK(idle.alarms.count == 0);
    for (size_t i = 40; i < 60; i++)
        dead.points[i].value = 0;
    judge(&dead);
    CHECK(dead.alarms.count >= 1 && dead.alarms.items[0].step == 40);
    // Once it was without tokens for a step, that says nothing any more.
    usual.points[20].value = 0;
    for (size_t i = 40; i < 60; i++)
        usual.points[i].value = 0;
    judge(&usual);
    CHECK(usual.alarms.count == 0);
    arena_release(dense.arena);
    arena_release(idle.arena);
    arena_release(dead.arena);
    arena_release(usual.arena);
}

static void the_same_course_raises_the_same_alarms_at_any_size(void)
{
    static const double sizes[] = {1e-12, 1e-4, 1, 300, 1e9};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Sample quiet = sample(400, 0), loud = sample(400, 0);
        for (size_t k = 0; k < 400; k++) {
            double scatter = k % 3 == 0 ? 2.2 : k % 3 == 1 ? 1 : 0.4;  // of itself, no alarm
            quiet.points[k].value *= sizes[i] * scatter;
            loud.points[k].value *= sizes[i];
        }
        loud.points[300].value *= 5;
        judge(&quiet);
        CHECK(quiet.alarms.count == 0);
        judge(&loud);
        CHECK(loud.alarms.count == 1 && loud.alarms.items[0].step == 300);
        arena_release(quiet.arena);
        arena_release(loud.arena);
    }
}

static void alarms_stand_in_the_order_of_a_step(void)
{
    Alarm items[] = {
        {.type = STR("exp_avg"), .name = STR("w"), .stage = 1},
        {.type = STR("grad_reduced"), .name = STR("first"), .stage = 0},
        {.type = STR("grad_reduced"), .name = STR("last"), .stage = 1},
        {.type = STR("actv"), .name = STR("last"), .stage = 1},
        {.type = STR("actv"), .name = STR("first"), .stage = 0},
        {.type = STR("comm"), .name = STR("all_reduce"), .stage = MONITOR_NONE},
    };
    // Forward from the first stage to the last, backward the other way, then the optimizer.
    static const char *const want[] = {"first", "last", "last", "all_reduce", "first", "w"};
    Alarms alarms = {.items = items, .count = 6};
    for (size_t i = 0; i < 6; i++)
        items[i].rule = ALARM_NAN;
    alarms_rank(&alarms);
    for (size_t i = 0; i < 6; i++)
        CHECK_TEXT(items[i].name, want[i]);
    CHECK(alarms_first(&alarms) == &items[0]);
}

static void a_headline_names_a_nan_or_infinity_before_what_came_first(void)
{
    Alarm items[] = {
        {.rule = ALARM_DRIFT, .level = ALARM_LIKELY, .step = 5, .value = 3, .ratio = 4},
        {.rule = ALARM_SIMILARITY, .level = ALARM_LIKELY, .step = 6, .value = NAN},
        {.rule = ALARM_NAN, .level = ALARM_CERTAIN, .step = 7, .value = 3},  // above a threshold
        {.rule = ALARM_TURBULENCE, .level = ALARM_WEAK, .step = 8, .value = INFINITY},
        {.rule = ALARM_DRIFT, .level = ALARM_LIKELY, .step = 9, .value = -INFINITY},
        {.rule = ALARM_NAN, .level = ALARM_CERTAIN, .step = 10, .value = NAN},
    };
    Alarms alarms = {.items = items, .count = 6};
    CHECK(alarms_gravest(&alarms) == &items[4] && alarms_first(&alarms) == &items[0]);
    alarms.count = 4;
    CHECK(alarms_gravest(&alarms) == &items[0]);
    items[2].ops[0] = STR("nans");
    items[2].op_count = 1;
    CHECK(alarms_gravest(&alarms) == &items[2]);
    alarms.count = 0;
    CHECK(alarms_gravest(&alarms) == NULL);
}

static void stages_of_any_size_have_an_order(void)
{
    Alarm items[] = {
        {.rule = ALARM_NAN, .type = STR("grad_reduced"), .stage = INT32_MIN},
        {.rule = ALARM_NAN, .type = STR("grad_reduced"), .stage = INT64_MAX},
        {.rule = ALARM_NAN, .type = STR("grad_reduced"), .stage = 5000000000},
        {.rule = ALARM_NAN, .type = STR("grad_reduced"), .stage = INT64_MIN + 1},
    };
    Alarms alarms = {.items = items, .count = 4};
    alarms_rank(&alarms);
    for (size_t i = 1; i < 4; i++)
        CHECK(items[i].stage < items[i - 1].stage);
}

static void an_alarm_of_communication_has_no_stage_in_its_tag(void)
{
    Arena *arena = arena_new();
    Alarm alarm = {.type = STR("comm"),
                   .name = STR("all_reduce"),
                   .stage = MONITOR_NONE,
                   .rank = 7,
                   .micro = 2,
                   .ops = {STR("norm")},
                   .op_count = 1};
    CHECK_TEXT(alarm_tag(&alarm, arena), "all_reduce:2/rank7/cc");
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
    CHECK_RUN(the_short_way_agrees_with_the_rules_whatever_they_are);
    CHECK_RUN(values_on_few_units_are_quantised);
    CHECK_RUN(a_clean_series_is_quiet);
    CHECK_RUN(both_directions_are_found_at_every_step_after_the_start);
    CHECK_RUN(the_history_of_a_jump_is_the_median_of_the_eleven_values_before);
    CHECK_RUN(a_collapse_to_zero_is_one_event);
    CHECK_RUN(a_level_shift_is_one_event_and_the_new_level_is_accepted);
    CHECK_RUN(rounding_alone_raises_no_alarm);
    CHECK_RUN(an_infinity_is_always_an_alarm);
    CHECK_RUN(a_mean_that_nobody_confirms_is_weak);
    CHECK_RUN(a_smaller_jump_counts_only_where_the_other_ranks_do_not_share_it);
    CHECK_RUN(a_gradient_of_0_is_an_event_at_once_but_of_an_expert_after_three_steps);
    CHECK_RUN(the_same_course_raises_the_same_alarms_at_any_size);
    CHECK_RUN(alarms_stand_in_the_order_of_a_step);
    CHECK_RUN(a_headline_names_a_nan_or_infinity_before_what_came_first);
    CHECK_RUN(stages_of_any_size_have_an_order);
    CHECK_RUN(an_alarm_of_communication_has_no_stage_in_its_tag);
    return CHECK_RESULT;
}
