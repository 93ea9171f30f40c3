// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/over_time.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "trend/curves/step_align.h"

// Milliseconds at steps, both rising.
typedef struct Clock {
    const Run *run;
    int64_t *steps, *at;
    size_t count;
} Clock;

typedef struct Clocks {
    Clock *items;
    size_t count;
} Clocks;

// A clock that was set back, or that shows whole seconds only, still goes on.
static void add_moment(Clock *clock, int64_t step, double seconds)
{
    int64_t at = (int64_t)llround(1000 * seconds);
    if (clock->count && at <= clock->at[clock->count - 1])
        at = clock->at[clock->count - 1] + 1;
    clock->steps[clock->count] = step;
    clock->at[clock->count++] = at;
}

static void add_times(Clock *clock, const Points *times)
{
    for (size_t i = 0; i < times->count; i++)
        add_moment(clock, times->items.x[i], times->items.value[i] - times->items.value[0]);
}

// A printed time is the mean of the steps since the last print.
static void add_durations(Clock *clock, const Series *durations)
{
    double seconds = 0;
    for (size_t i = 0; i < durations->count; i++) {
        Point point = point_at(durations->points, i);
        if (i && isfinite(point.value))
            seconds += point.value / 1000 * (double)(point.x - durations->points.x[i - 1]);
        add_moment(clock, point.x, seconds);
    }
}

static bool read_clock(const Run *run, Arena *arena, Clock *out)
{
    const Series *durations = run_series(run, "step_time_ms");
    bool logged = run->times.count > 1;
    size_t most = logged ? run->times.count : durations ? durations->count : 0;
    *out = (Clock){.run = run,
                   .steps = ARENA_ARRAY(arena, int64_t, most + 1),
                   .at = ARENA_ARRAY(arena, int64_t, most + 1)};
    if (logged)
        add_times(out, &run->times);
    else if (durations)
        add_durations(out, durations);
    return out->count > 1;
}

// Between two moments in proportion, beyond the ends the end.
static int64_t moment_of(const Clock *clock, int64_t step)
{
    size_t at;
    FIND_FIRST(at, clock->count, clock->steps[at] < step);
    if (at == clock->count)
        return clock->at[at - 1];
    if (at == 0 || clock->steps[at] == step)
        return clock->at[at];
    double share =
        (double)(step - clock->steps[at - 1]) / (double)(clock->steps[at] - clock->steps[at - 1]);
    return clock->at[at - 1] + (int64_t)(share * (double)(clock->at[at] - clock->at[at - 1]));
}

static const Clock *clock_of(const Clocks *clocks, const Run *run)
{
    for (size_t i = 0; i < clocks->count; i++)
        if (clocks->items[i].run == run)
            return &clocks->items[i];
    return NULL;
}

enum { PAUSE = 30 };  // times the usual distance

// What breaks a line: missing steps, as over steps, and a long pause such as between two starts.
typedef struct Breaks {
    int64_t steps, pause;  // larger distances
} Breaks;

static Breaks find_breaks(const Series *series, const Clock *clock, Arena *arena)
{
    int64_t spacing = series_spacing(series, arena);
    return (Breaks){3 * spacing, PAUSE * spacing * (clock->at[clock->count - 1] - clock->at[0]) /
                                     (clock->steps[clock->count - 1] - clock->steps[0] + 1)};
}

static bool is_apart(const Breaks *breaks, const Clock *clock, int64_t before, int64_t step)
{
    return step - before > breaks->steps ||
           moment_of(clock, step) - moment_of(clock, before) > breaks->pause;
}

// A break gets an absent point, since the distances themselves vary over time.
static Series timed_series(const Series *from, const Clock *clock, Arena *arena)
{
    Series out = *from;
    Breaks breaks = find_breaks(from, clock, arena);
    Points points = {0};
    for (size_t i = 0; i < from->count; i++) {
        Point point = point_at(from->points, i);
        int64_t at = moment_of(clock, point.x);
        if (i && is_apart(&breaks, clock, from->points.x[i - 1], point.x))
            points_push(arena, &points, (Point){at, point_absent()});
        points_push(arena, &points, (Point){at, point.value});
    }
    out.points = points.items;
    out.count = points.count;
    out.gap = INT64_MAX;
    return out;
}

static Run timed_run(const Run *from, const Clock *clock, Arena *arena)
{
    Run out = *from;
    out.series = ARENA_ARRAY(arena, Series, from->series_count + 1);
    for (size_t i = 0; i < from->series_count; i++)
        out.series[i] = timed_series(&from->series[i], clock, arena);
    out.events = (Events){0};
    for (size_t i = 0; i < from->events.count; i++) {
        Event *event = ARRAY_PUSH(arena, &out.events);
        *event = from->events.items[i];
        event->step = moment_of(clock, event->step);
    }
    return out;
}

static const Run *partner(const CurveFindings *report, const Runs *runs, const Run *run)
{
    return run ? &runs->items[run - report->runs->items] : NULL;
}

static const Series *series_partner(const Run *from, const Run *to, const Series *series)
{
    return series ? &to->series[series - from->series] : NULL;
}

static const int64_t *timed_steps(const int64_t *steps, size_t count, const Clock *clock,
                                  Arena *arena)
{
    int64_t *out = ARENA_ARRAY(arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = moment_of(clock, steps[i]);
    return out;
}

// Where the difference breaks: told by the steps that both runs have.
static const bool *band_breaks(const Band *band, const Clock *clock, Arena *arena)
{
    PointColumns points = point_columns(arena, band->count);
    bool *apart = ARENA_ARRAY(arena, bool, band->count + 1);
    for (size_t i = 0; i < band->count; i++)
        points.x[i] = band->x[i];
    Series common = {.points = points, .count = band->count};
    Breaks breaks = find_breaks(&common, clock, arena);
    for (size_t i = 1; i < band->count; i++)
        apart[i] = is_apart(&breaks, clock, band->x[i - 1], band->x[i]);
    return apart;
}

static CurveComparison timed_comparison(const CurveComparison *from, const CurveFindings *report,
                                        const Runs *runs, const Clocks *clocks, Arena *arena)
{
    CurveComparison out = *from;
    const Clock *clock = clock_of(clocks, from->target);
    out.golden = partner(report, runs, from->golden);
    out.target = partner(report, runs, from->target);
    out.golden_series = series_partner(from->golden, out.golden, from->golden_series);
    out.target_series = series_partner(from->target, out.target, from->target_series);
    out.band.apart = band_breaks(&from->band, clock, arena);
    out.band.x = timed_steps(from->band.x, from->band.count, clock, arena);
    out.stats.max_at = moment_of(clock, from->stats.max_at);
    return out;
}

static RunSpikes timed_spikes(const RunSpikes *from, const CurveFindings *report, const Runs *runs,
                              const Clocks *clocks, Arena *arena)
{
    RunSpikes out = {.searched = from->searched};
    for (size_t i = 0; i < runs->count; i++) {
        const Run *run = &report->runs->items[i];
        if (from->series < run->series || from->series >= run->series + run->series_count)
            continue;
        const Clock *clock = clock_of(clocks, run);
        out.series = series_partner(run, &runs->items[i], from->series);
        for (size_t k = 0; k < from->spikes.count; k++) {
            Spike *spike = ARRAY_PUSH(arena, &out.spikes);
            *spike = from->spikes.items[k];
            spike->start = moment_of(clock, spike->start);
            spike->peak = moment_of(clock, spike->peak);
            spike->end = moment_of(clock, spike->end);
        }
    }
    return out;
}

bool curves_over_time(const CurveFindings *report, Arena *arena, Runs *runs, CurveFindings *out,
                      const Run **lacking)
{
    size_t count = report->runs->count;
    Clocks clocks = {ARENA_ARRAY(arena, Clock, count + 1), count};
    *runs = (Runs){.items = ARENA_ARRAY(arena, Run, count + 1), .count = count};
    for (size_t i = 0; i < count; i++) {
        *lacking = &report->runs->items[i];
        if (!read_clock(*lacking, arena, &clocks.items[i]))
            return false;
        runs->items[i] = timed_run(*lacking, &clocks.items[i], arena);
    }
    *out = *report;
    out->runs = runs;
    out->items = ARENA_ARRAY(arena, CurveComparison, report->count + 1);
    for (size_t i = 0; i < report->count; i++)
        out->items[i] = timed_comparison(&report->items[i], report, runs, &clocks, arena);
    out->spikes = ARENA_ARRAY(arena, RunSpikes, report->spikes_count + 1);
    for (size_t i = 0; i < report->spikes_count; i++)
        out->spikes[i] = timed_spikes(&report->spikes[i], report, runs, &clocks, arena);
    return true;
}
