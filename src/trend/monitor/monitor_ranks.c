// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_ranks.h"

#include <math.h>

#include "base/sort.h"

// The one rank is off by the first factor or more at nine of ten steps from some step on; the
// others stay within the second of each other. Chosen: replicas are equal but for rounding.
static const double OFF_FACTOR = 1.25, ALIKE_FACTOR = 1.05, SHARE = 0.9;
enum { RANKS_LEAST = 3, STEPS_LEAST = 5 };

// The norms of one object, a series a rank.
typedef struct Group {
    const MonitorSeries *first;
    size_t count;
} Group;

static bool same_object(const MonitorObject *a, const MonitorObject *b)
{
    return a->type == b->type && a->name == b->name && a->op == b->op && a->stage == b->stage &&
           a->micro == b->micro;
}

static double value_at(const MonitorSeries *series, uint32_t step)
{
    size_t at;
    FIND_FIRST(at, series->count, series->points[at].step < step);
    bool there = at < series->count && series->points[at].step == step;
    double value = there ? fabs(series->points[at].value) : (double)NAN;
    return isfinite(value) && value > 0 ? value : (double)NAN;
}

// Which rank is off at a step, with its ratio to the median; SIZE_MAX: none, or more than one.
static size_t off_at(const Group *group, uint32_t step, double *values, double *ratio)
{
    size_t count = 0, off = SIZE_MAX, others = 0;
    for (size_t i = 0; i < group->count; i++) {
        double value = value_at(&group->first[i], step);
        if (!isnan(value))
            values[count++] = value;
    }
    if (count < RANKS_LEAST)
        return SIZE_MAX;
    double middle = median_of(values, count);
    for (size_t i = 0; i < group->count; i++) {
        double times = value_at(&group->first[i], step) / middle;
        if (isnan(times) || (times <= ALIKE_FACTOR && times >= 1 / ALIKE_FACTOR))
            continue;
        if (times < OFF_FACTOR && times > 1 / OFF_FACTOR)
            return SIZE_MAX;
        others++;
        off = i;
        *ratio = times;
    }
    return others == 1 ? off : SIZE_MAX;
}

// The rank that is off from some step on; false: none.
static bool group_off(const MonitorRun *run, const Group *group, double *values, size_t *rank,
                      MonitorRankApart *out)
{
    size_t steps = 0, hits = 0;
    *rank = SIZE_MAX;
    for (uint32_t step = 0; step < run->step_count; step++) {
        double ratio = 1;
        size_t off = off_at(group, step, values, &ratio);
        if (*rank == SIZE_MAX && off == SIZE_MAX)
            continue;
        if (*rank == SIZE_MAX) {
            *rank = off;
            out->step = run->steps[step];
        }
        steps++;
        hits += off == *rank;
        out->ratio = off == *rank ? ratio : out->ratio;
    }
    return steps >= STEPS_LEAST && (double)hits >= SHARE * (double)steps;
}

static void take_group(const MonitorRun *run, const Group *group, double *values,
                       MonitorRankApart *ranks)
{
    size_t at, place;
    MonitorRankApart found = {0};
    for (size_t i = 0; i < run->rank_count; i++)
        ranks[i].common++;
    if (!group_off(run, group, values, &at, &found))
        return;
    FIND_FIRST(place, run->rank_count, run->ranks[place] < group->first[at].rank);
    MonitorRankApart *rank = &ranks[place];
    if (rank->names++ > 0)
        return;
    rank->rank = group->first[at].rank;
    rank->step = found.step;
    rank->ratio = found.ratio;
    rank->type = monitor_series_type(run, group->first);
    rank->name = monitor_series_name(run, group->first);
}

bool monitor_rank_apart(const MonitorRun *run, MonitorRankApart *out)
{
    Arena *scratch = arena_new();
    double *values = ARENA_ARRAY(scratch, double, run->rank_count + 1);
    MonitorRankApart *ranks = ARENA_ARRAY(scratch, MonitorRankApart, run->rank_count + 1);
    const MonitorRankApart *most = ranks;
    for (size_t from = 0, end; from < run->series_count; from = end) {
        Group group = {&run->series[from], 0};
        for (end = from; end < run->series_count &&
                         same_object(&run->series[end].object, &run->series[from].object);)
            end++;
        group.count = end - from;
        if (group.count >= RANKS_LEAST && group.count <= run->rank_count &&
            str_equal(monitor_series_op(run, group.first), STR("norm")))
            take_group(run, &group, values, ranks);
    }
    for (size_t i = 0; i < run->rank_count; i++)
        most = ranks[i].names > most->names ? &ranks[i] : most;
    *out = *most;
    arena_release(scratch);
    return out->names > 0;
}
