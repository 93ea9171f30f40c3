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
    size_t *at;              // where each series is
    double *values, *found;  // of one step: by rank, and those that are there
} Group;

static bool same_object(const MonitorObject *a, const MonitorObject *b)
{
    return a->type == b->type && a->name == b->name && a->op == b->op && a->stage == b->stage &&
           a->micro == b->micro;
}

// The norm at a step, where that is one; `at` moves on to it from the step before.
static double value_at(const MonitorSeries *series, size_t *at, uint32_t step)
{
    while (*at < series->count && series->points[*at].step < step)
        ++*at;
    bool there = *at < series->count && series->points[*at].step == step;
    double value = there ? fabs(series->points[*at].value) : (double)NAN;
    return isfinite(value) && value > 0 ? value : (double)NAN;
}

// Which rank is off at a step, with its ratio to the median; SIZE_MAX: none, or more than one.
static size_t off_at(const Group *group, uint32_t step, double *ratio)
{
    size_t count = 0, off = SIZE_MAX, others = 0;
    for (size_t i = 0; i < group->count; i++) {
        group->values[i] = value_at(&group->first[i], &group->at[i], step);
        if (!isnan(group->values[i]))
            group->found[count++] = group->values[i];
    }
    if (count < RANKS_LEAST)
        return SIZE_MAX;
    double middle = median_of(group->found, count);
    for (size_t i = 0; i < group->count; i++) {
        double times = group->values[i] / middle;
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
static bool group_off(const MonitorRun *run, const Group *group, size_t *rank,
                      MonitorRankApart *out)
{
    size_t steps = 0, hits = 0;
    *rank = SIZE_MAX;
    for (size_t i = 0; i < group->count; i++)
        group->at[i] = 0;
    // The steps of the first rank: what ranks record at steps of their own is not compared.
    for (size_t k = 0; k < group->first->count; k++) {
        uint32_t step = group->first->points[k].step;
        double ratio = 1;
        size_t off = off_at(group, step, &ratio);
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

static void take_group(const MonitorRun *run, const Group *group, MonitorRankApart *ranks)
{
    size_t at, place;
    MonitorRankApart found = {0};
    for (size_t i = 0; i < run->rank_count; i++)
        ranks[i].common++;
    if (!group_off(run, group, &at, &found))
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
    Group group = {.at = ARENA_ARRAY(scratch, size_t, run->rank_count + 1),
                   .values = ARENA_ARRAY(scratch, double, run->rank_count + 1),
                   .found = ARENA_ARRAY(scratch, double, run->rank_count + 1)};
    MonitorRankApart *ranks = ARENA_ARRAY(scratch, MonitorRankApart, run->rank_count + 1);
    const MonitorRankApart *most = ranks;
    for (size_t from = 0, end; from < run->series_count; from = end) {
        group.first = &run->series[from];
        for (end = from; end < run->series_count &&
                         same_object(&run->series[end].object, &run->series[from].object);)
            end++;
        group.count = end - from;
        if (group.count >= RANKS_LEAST && group.count <= run->rank_count &&
            str_equal(monitor_series_op(run, group.first), STR("norm")))
            take_group(run, &group, ranks);
    }
    for (size_t i = 0; i < run->rank_count; i++)
        most = ranks[i].names > most->names ? &ranks[i] : most;
    *out = *most;
    arena_release(scratch);
    return out->names > 0;
}
