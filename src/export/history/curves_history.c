// SPDX-License-Identifier: Apache-2.0
#include "export/history/curves_history.h"
#include "base/sort.h"

#include <math.h>

// "target", and with several of a role "target 2".
static Str run_place(const Runs *runs, const Run *run, Arena *arena)
{
    size_t number = 0;
    Str role = str_of(run_role_text(run->role));
    for (const Run *at = runs->items; at <= run; at++)
        number += at->role == run->role;
    return number == 1 ? role : str_printf(arena, STR_FMT " %zu", STR_ARG(role), number);
}

static FactState state_of(const CurveComparison *comparison)
{
    if (comparison->beyond)
        return FACT_BEYOND;
    if (comparison->finding == FINDING_BORDERLINE)
        return FACT_WARNING;
    return comparison->pair.count ? FACT_CALM : FACT_NONE;
}

static void add_comparison(const CurveFindings *report, size_t index, Arena *arena,
                           HistoryNight *out)
{
    const CurveComparison *comparison = &report->items[index];
    const DifferenceStats *stats = &comparison->stats;
    const struct {
        const char *metric;
        double value;
    } figures[] = {{"mean_relative", stats->mean_relative},
                   {"max_abs", stats->max_abs},
                   {"signed_mean", stats->signed_mean}};
    HistoryFact fact = {.kind = STR("curve"),
                        .place = run_place(report->runs, comparison->target, arena),
                        .name = comparison->series,
                        .state = state_of(comparison),
                        .position = (int64_t)index,
                        .note = str_of(finding_text(comparison->finding))};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        fact.metric = str_of(figures[i].metric);
        fact.value = figures[i].value;
        history_add(out, arena, fact);
    }
}

static void add_norms(const CurveFindings *report, Arena *arena, HistoryNight *out)
{
    for (size_t i = 0; report->has_norms && i < report->norms.count; i++) {
        const NormPair *pair = &report->norms.items[i];
        history_add(out, arena,
                    (HistoryFact){.kind = STR("norm"),
                                  .name = pair->target,
                                  .metric = STR("relative_error"),
                                  .state = !pair->flagged  ? FACT_CALM
                                           : pair->problem ? FACT_BEYOND
                                                           : FACT_WARNING,
                                  .value = localnorm_distance(pair),
                                  .position = (int64_t)i});
    }
}

// The median of the finite values; *nonfinite is the first step without one, or INT64_MIN.
static double median_of_series(const Series *series, Arena *arena, int64_t *nonfinite)
{
    double *values = ARENA_ARRAY(arena, double, series->count);
    size_t count = 0;
    *nonfinite = INT64_MIN;
    for (size_t i = 0; i < series->count; i++) {
        if (isfinite(series->points.value[i]))
            values[count++] = series->points.value[i];
        else if (*nonfinite == INT64_MIN)
            *nonfinite = series->points.x[i];
    }
    return median_of(values, count);
}

// A run that nothing is compared with: its own level, and whether it stayed finite.
static void add_single(const Run *run, Str place, Arena *arena, HistoryNight *out)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const Series *series = &run->series[i];
        int64_t nonfinite;
        HistoryFact fact = {.kind = STR("curve"),
                            .place = place,
                            .name = series->name,
                            .metric = STR("median"),
                            .value = median_of_series(series, arena, &nonfinite),
                            .position = (int64_t)i};
        fact.state = nonfinite == INT64_MIN ? FACT_CALM : FACT_WARNING;
        if (nonfinite != INT64_MIN)
            fact.note = str_printf(arena, "not finite, step %lld", (long long)nonfinite);
        history_add(out, arena, fact);
        fact.metric = STR("last");
        fact.value = series->count ? series->points.value[series->count - 1] : (double)NAN;
        history_add(out, arena, fact);
    }
}

static FactState state_of_style(CellStyle style)
{
    if (style == STYLE_ERROR || style == STYLE_UNMATCHED)
        return FACT_BEYOND;
    if (style == STYLE_NO_DATA)
        return FACT_NONE;
    return style == STYLE_WARNING ? FACT_WARNING : FACT_CALM;
}

void curves_history_facts(const CurveFindings *report, const Verdict *verdict, Arena *arena,
                          HistoryNight *out)
{
    out->state = state_of_style(verdict->style);
    out->partial = verdict->partial;
    for (size_t i = 0; i < report->count; i++)
        add_comparison(report, i, arena, out);
    add_norms(report, arena, out);
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        Str place = run_place(report->runs, run, arena);
        if (run->role == ROLE_SINGLE)
            add_single(run, place, arena, out);
        for (size_t k = 0; k < run->series_count; k++)
            history_add(out, arena,
                        (HistoryFact){.kind = STR("input"),
                                      .place = place,
                                      .name = run->series[k].name,
                                      .metric = STR("points"),
                                      .value = (double)run->series[k].count});
    }
    history_sort(out);
}
