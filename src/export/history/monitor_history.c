// SPDX-License-Identifier: Apache-2.0
#include "export/history/monitor_history.h"
#include "base/sort.h"

#include <math.h>

typedef struct Level {
    double median, departure;  // departure: largest |value| over the median of |value|
    bool nonfinite;
} Level;

// `values` has room for every step of the run.
static Level level_of(const MonitorSeries *series, double *values)
{
    Level level = {.median = (double)NAN, .departure = (double)NAN};
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (isfinite(series->points[i].value))
            values[count++] = fabs(series->points[i].value);
        else
            level.nonfinite = true;
    }
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    level.median = median_of(values, count);
    if (level.median > 0)
        level.departure = largest / level.median;
    return level;
}

static Str object_name(Str type, Str name, Arena *arena)
{
    return str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(type), STR_ARG(name));
}

static void add_series(const MonitorRun *run, const MonitorSeries *series, Str place,
                       double *values, HistoryNight *out)
{
    Arena *arena = run->arena;
    Level level = level_of(series, values);
    HistoryFact fact = {.kind = STR("object"),
                        .place = place,
                        .name = object_name(monitor_series_type(run, series),
                                            monitor_series_name(run, series), arena),
                        .metric = STR("median"),
                        .state = FACT_CALM,
                        .value = level.median,
                        .position = series->order};
    history_add(out, arena, fact);
    fact.metric = STR("ratio");
    fact.value = level.nonfinite ? INFINITY : level.departure;
    history_add(out, arena, fact);
}

static void add_alarm(const MonitorRun *run, const Alarm *alarm, Str place, HistoryNight *out)
{
    if (alarm->level == ALARM_WEAK)
        return;
    Arena *arena = run->arena;
    HistoryFact fact = {.kind = STR("object"),
                        .place = place,
                        .name = object_name(alarm->type, alarm->name, arena),
                        .metric = STR("ratio"),
                        .state = FACT_BEYOND,
                        .value = isnan(alarm->value) ? INFINITY : alarm->ratio,
                        .position = INT64_MAX};
    fact.note = str_printf(arena, "%s, step %lld, rank %lld", alarm_rule_name(alarm->rule),
                           (long long)alarm->step, (long long)alarm->rank);
    history_add(out, arena, fact);
}

// Series of that statistic, or of all without a name; returns how many.
static size_t add_statistic(const MonitorRun *run, Str op, Str place, HistoryNight *out)
{
    Arena *scratch = arena_new();
    size_t longest = 0, added = 0;
    for (size_t i = 0; i < run->series_count; i++)
        longest = run->series[i].count > longest ? run->series[i].count : longest;
    double *values = ARENA_ARRAY(scratch, double, longest);
    for (size_t i = 0; i < run->series_count; i++) {
        const MonitorSeries *series = &run->series[i];
        if (op.size && !str_equal(monitor_series_op(run, series), op))
            continue;
        add_series(run, series, place, values, out);
        added++;
    }
    arena_release(scratch);
    return added;
}

static Str view_place(size_t index, size_t count, Arena *arena)
{
    if (count == 1)
        return (Str){"", 0};
    if (count == 2)
        return index == 0 ? STR("golden") : STR("target");
    return str_printf(arena, "run %zu", index + 1);
}

static void add_view(const MonitorView *view, Str place, HistoryNight *out)
{
    const MonitorRun *run = &view->run;
    history_add(out, run->arena,
                (HistoryFact){.kind = STR("input"),
                              .place = place,
                              .metric = STR("rows"),
                              .value = (double)run->row_count});
    for (size_t i = 0; i < run->rank_count; i++)
        history_add(
            out, run->arena,
            (HistoryFact){.kind = STR("input"),
                          .place = place,
                          .name = str_printf(run->arena, "rank %lld", (long long)run->ranks[i]),
                          .metric = STR("steps"),
                          .value = (double)run->step_count});
    if (add_statistic(run, STR("norm"), place, out) == 0)
        add_statistic(run, (Str){"", 0}, place, out);
    for (size_t i = 0; i < view->alarms.count; i++)
        add_alarm(run, &view->alarms.items[i], place, out);
}

void monitor_history_facts(const MonitorViews *views, const Verdict *verdict, Arena *arena,
                           HistoryNight *out)
{
    out->state = monitor_status(views) >= MONITOR_APART ? FACT_BEYOND : FACT_CALM;
    out->partial = verdict->partial;
    for (size_t i = 0; i < views->count; i++)
        add_view(&views->items[i], view_place(i, views->count, arena), out);
    history_sort(out);
}
