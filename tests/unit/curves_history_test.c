// SPDX-License-Identifier: Apache-2.0
#include "export/history/curves_history.h"

#include <math.h>

#include "check.h"

// What a night of curves keeps for the nights to come.

enum { COUNT = 5 };

static Arena *arena;

static const HistoryFact *fact_of(const HistoryNight *night, const char *kind, const char *place,
                                  const char *name, const char *metric)
{
    for (size_t i = 0; i < night->count; i++) {
        const HistoryFact *fact = &night->items[i];
        if (str_equal(fact->kind, str_of(kind)) && str_equal(fact->place, str_of(place)) &&
            str_equal(fact->name, str_of(name)) && str_equal(fact->metric, str_of(metric)))
            return fact;
    }
    bool there_is_such_a_fact = false;
    CHECK(there_is_such_a_fact);
    return &night->items[0];
}

static Series series_of(const char *name, const double values[COUNT])
{
    PointColumns points = point_columns(arena, COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        points.x[i] = i + 1;
        points.value[i] = values[i];
    }
    return (Series){.name = str_of(name), .points = points, .count = COUNT, .decimals = 6};
}

static HistoryNight night_of(const CurveFindings *report, CellStyle style)
{
    HistoryNight night = {.command = STR("curves")};
    Verdict verdict = {.style = style, .partial = style == STYLE_NO_DATA};
    curves_history_facts(report, &verdict, arena, &night);
    return night;
}

static void a_run_by_itself_keeps_its_level_and_whether_it_stayed_finite(void)
{
    static const double calm[COUNT] = {5, 1, 4, 2, 3};
    static const double broken[COUNT] = {1, 2, NAN, 4, INFINITY};
    static const double nothing[COUNT] = {NAN, NAN, NAN, NAN, NAN};
    Series series[] = {series_of("loss", calm), series_of("grad_norm", broken),
                       series_of("lr", nothing)};
    Run run = {.role = ROLE_SINGLE, .series = series, .series_count = 3};
    Runs runs = {&run, 1, 1, NULL};
    CurveFindings report = {.runs = &runs};
    HistoryNight night = night_of(&report, STYLE_PLAIN);
    CHECK(night.count == 9 && night.state == FACT_CALM && !night.partial);
    const HistoryFact *loss = fact_of(&night, "curve", "single", "loss", "median");
    CHECK(loss->value == 3 && loss->state == FACT_CALM && loss->note.size == 0);
    CHECK(fact_of(&night, "curve", "single", "loss", "last")->value == 3);
    const HistoryFact *norm = fact_of(&night, "curve", "single", "grad_norm", "median");
    CHECK(norm->value == 2 && norm->state == FACT_WARNING);
    CHECK_TEXT(norm->note, "not finite, step 3");
    CHECK(isinf(fact_of(&night, "curve", "single", "grad_norm", "last")->value));
    const HistoryFact *rate = fact_of(&night, "curve", "single", "lr", "median");
    CHECK(isnan(rate->value) && rate->state == FACT_WARNING);
    CHECK_TEXT(rate->note, "not finite, step 1");
    CHECK(fact_of(&night, "input", "single", "loss", "points")->value == COUNT);
}

static void a_comparison_keeps_its_finding_and_each_target_its_own(void)
{
    static const double values[COUNT] = {5, 4, 3, 2, 1};
    static const double other[COUNT] = {5.5, 4.5, 3.5, 2.5, 1.5};
    Run items[3];
    for (int i = 0; i < 3; i++) {
        Series *series = ARENA_NEW(arena, Series);
        *series = series_of("loss", i == 2 ? other : values);
        items[i] = (Run){
            .role = i ? ROLE_TARGET_RUN : ROLE_GOLDEN_RUN, .series = series, .series_count = 1};
    }
    Runs runs = {items, 3, 3, NULL};
    CurveFindings report;
    curves_judge(&runs, CRITERION_LONG, NULL, NULL, arena, &report);
    HistoryNight night = night_of(&report, STYLE_ERROR);
    CHECK(night.state == FACT_BEYOND);
    const HistoryFact *same = fact_of(&night, "curve", "target", "loss", "max_abs");
    CHECK(same->value == 0 && same->state == FACT_CALM);
    CHECK_TEXT(same->note, "within noise");
    const HistoryFact *beyond = fact_of(&night, "curve", "target 2", "loss", "signed_mean");
    CHECK(beyond->value == 0.5 && beyond->state == FACT_BEYOND);
    CHECK(fact_of(&night, "curve", "target 2", "loss", "mean_relative")->value > 0.1);
    report.items[1].beyond = false;
    report.items[1].finding = FINDING_BORDERLINE;
    night = night_of(&report, STYLE_WARNING);
    CHECK(night.state == FACT_WARNING);
    CHECK(fact_of(&night, "curve", "target 2", "loss", "max_abs")->state == FACT_WARNING);
    CHECK(night_of(&report, STYLE_NO_DATA).state == FACT_NONE);
    CHECK(night_of(&report, STYLE_NO_DATA).partial);
}

static void weights_keep_their_errors(void)
{
    NormPair pairs[] = {
        {.target = STR("a"), .relative_error = -0.001},
        {.target = STR("b"), .relative_error = -0.02, .flagged = true},
        {.target = STR("c"), .relative_error = 0.5, .flagged = true, .problem = true}};
    Runs runs = {0};
    CurveFindings report = {
        .runs = &runs, .has_norms = true, .norms = {.items = pairs, .count = 3}};
    HistoryNight night = night_of(&report, STYLE_ERROR);
    static const FactState want[] = {FACT_CALM, FACT_WARNING, FACT_BEYOND};
    CHECK(night.count == 3);
    for (size_t i = 0; i < 3; i++) {
        char name[] = {(char)('a' + i), '\0'};
        const HistoryFact *fact = fact_of(&night, "norm", "", name, "relative_error");
        CHECK(fact->state == want[i] && fact->value == fabs(pairs[i].relative_error));
        CHECK(fact->position == (int64_t)i);
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_run_by_itself_keeps_its_level_and_whether_it_stayed_finite);
    CHECK_RUN(a_comparison_keeps_its_finding_and_each_target_its_own);
    CHECK_RUN(weights_keep_their_errors);
    arena_release(arena);
    return CHECK_RESULT;
}
