// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/words.h"
#include "read/monitor/grad_probe.h"

typedef bool (*ProbeReader)(const MonitorSide *, Arena *, ProbeValues *, Notices *, Error *);

typedef struct ProbeItem {
    NameId type, op;
    uint32_t order;  // of the name, by first appearance
    ProbeValue value;
} ProbeItem;
typedef struct ProbeItems {
    ProbeItem *items;
    size_t count, capacity;
} ProbeItems;

typedef struct ProbeScan {
    Arena *arena;
    MonitorRun *run;
    const MonitorSelect *select;
    Notices *notices;
    Names *order;
    ProbeItems all;
} ProbeScan;

static void add_values(ProbeScan *scan, const ProbeValues *values, const char *type, const char *op)
{
    for (size_t v = 0; v < values->count; v++)
        if (number_list_has(scan->select->steps, values->items[v].step))
            *ARRAY_PUSH(scan->arena, &scan->all) =
                (ProbeItem){.type = names_add(scan->run->names, str_of(type)),
                            .op = names_add(scan->run->names, str_of(op)),
                            .order = names_add(scan->order, values->items[v].name),
                            .value = values->items[v]};
}

static void read_sides(ProbeScan *scan, const MonitorSides *sides, ProbeReader read,
                       const char *type, const char *op)
{
    for (size_t i = 0; i < sides->count; i++) {
        ProbeValues values = {0};
        Error err;
        if (!number_list_has(scan->select->ranks, sides->items[i].rank))
            continue;
        scan->run->byte_count += file_size(sides->items[i].path);
        scan->run->file_count++;
        if (!read(&sides->items[i], scan->arena, &values, scan->notices, &err))
            notices_add_error(scan->notices, &err);
        add_values(scan, &values, type, op);
    }
}

static int compare_items(const void *left, const void *right)
{
    const ProbeItem *a = left, *b = right;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->value.rank != b->value.rank)
        return a->value.rank < b->value.rank ? -1 : 1;
    return (a->value.step > b->value.step) - (a->value.step < b->value.step);
}

static void collect_axes(ProbeScan *scan)
{
    MonitorRun *run = scan->run;
    int64_t *steps = ARENA_ARRAY(scan->arena, int64_t, scan->all.count + 1);
    int64_t *ranks = ARENA_ARRAY(scan->arena, int64_t, scan->all.count + 1);
    for (size_t i = 0; i < scan->all.count; i++) {
        steps[i] = scan->all.items[i].value.step;
        ranks[i] = scan->all.items[i].value.rank;
    }
    run->step_count = sort_distinct(steps, scan->all.count);
    run->rank_count = sort_distinct(ranks, scan->all.count);
    run->steps = steps;
    run->ranks = ranks;
    Str *types = ARENA_ARRAY(scan->arena, Str, 2);
    static const char *const names[] = {"grad_summary", "similarity"};
    for (size_t i = 0; i < 2; i++)
        if (names_find(run->names, str_of(names[i])))
            types[run->type_count++] = str_of(names[i]);
    run->types = types;
}

static void make_series(ProbeScan *scan)
{
    MonitorRun *run = scan->run;
    run->series = ARENA_ARRAY(scan->arena, MonitorSeries, scan->all.count + 1);
    MonitorPoint *points = ARENA_ARRAY(scan->arena, MonitorPoint, scan->all.count + 1);
    const ProbeItem *before = NULL;
    for (size_t i = 0; i < scan->all.count; i++) {
        const ProbeItem *item = &scan->all.items[i];
        bool same = before && before->type == item->type && before->order == item->order &&
                    before->value.rank == item->value.rank;
        if (!same)
            run->series[run->series_count++] = (MonitorSeries){
                .object = {.type = item->type,
                           .name = names_add(run->names, item->value.name),
                           .op = item->op,
                           .stage = MONITOR_NONE,
                           .micro = MONITOR_NONE},
                .rank = item->value.rank,
                .order = item->order,
                .call = item->order - 1,
                .points = &points[i],
            };
        points[i] =
            (MonitorPoint){(uint32_t)monitor_step_index(run, item->value.step), item->value.value};
        run->series[run->series_count - 1].count++;
        before = item;
    }
    run->row_count = scan->all.count;
    run->object_count = names_count(scan->order);
}

static void judge_similarities(const MonitorRun *run, Alarms *alarms)
{
    for (size_t s = 0; s < run->series_count; s++) {
        const MonitorSeries *series = &run->series[s];
        if (!str_equal(monitor_series_type(run, series), STR("similarity")) ||
            str_equal(monitor_series_name(run, series), STR("summary")))
            continue;
        for (size_t i = 0; i < series->count; i++) {
            double value = series->points[i].value;
            double before = i ? series->points[i - 1].value : (double)NAN;
            bool low = i == 0 && value < PROBE_SIMILARITY_MIN;
            if (!low && !(before - value > PROBE_DROP_MAX) && !isnan(value))
                continue;
            *ARRAY_PUSH(run->arena, alarms) = (Alarm){
                .rule = ALARM_SIMILARITY,
                .rank = series->rank,
                .step = run->steps[series->points[i].step],
                .last_step = run->steps[series->points[i].step],
                .stage = MONITOR_NONE,
                .micro = MONITOR_NONE,
                .type = monitor_series_type(run, series),
                .name = monitor_series_name(run, series),
                .ops = {monitor_series_op(run, series)},
                .op_count = 1,
                .ratio = i ? value / before : (double)NAN,
                .value = value,
                .history = before,
                .last_value = value,
                .last_history = before,
                .call = series->call,
            };
        }
    }
}

bool probe_scan(const MonitorTree *tree, const MonitorSelect *select, Arena *arena, MonitorRun *out,
                Alarms *alarms, Notices *notices, Error *err)
{
    *out = (MonitorRun){.arena = arena, .names = names_new(arena), .path = tree->base};
    ProbeScan scan = {arena, out, select, notices, names_new(arena), {0}};
    read_sides(&scan, &tree->summaries, grad_probe_norms, "grad_summary", "norm");
    read_sides(&scan, &tree->similarities, grad_probe_similarities, "similarity", "similarity");
    if (scan.all.count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(tree->base),
                         tr("no row of the monitor files can be used"));
    qsort(scan.all.items, scan.all.count, sizeof *scan.all.items, compare_items);
    collect_axes(&scan);
    make_series(&scan);
    judge_similarities(out, alarms);
    return true;
}
