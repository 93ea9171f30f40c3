// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/alarm_recorded.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

// "0:layers.1.mlp.w/rank0/grad_reduced": name and type.
static void read_tag(const MonitorAnomaly *from, Alarm *out)
{
    Str tag = from->tag;
    size_t colon = str_find_char(tag, ':', 0), rank = str_find(tag, STR("/rank"), 0);
    out->type = str_behind(tag, '/');
    out->name = str_slice(tag, colon == SIZE_MAX ? 0 : colon + 1, rank);
}

static int by_number(const void *a, const void *b)
{
    return order_int64(*(const int64_t *)a, *(const int64_t *)b);
}

static size_t distinct(int64_t *numbers, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

void alarms_of_recorded(MonitorView *view, Arena *arena)
{
    const MonitorAnomalies *recorded = &view->recorded;
    int64_t *steps = ARENA_ARRAY(arena, int64_t, recorded->count + 1);
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, recorded->count + 1);
    Names *names = names_new(arena);
    for (size_t i = 0; i < recorded->count; i++) {
        const MonitorAnomaly *it = &recorded->items[i];
        bool nan = str_find(it->rule, STR("Nan"), 0) != SIZE_MAX;
        Alarm alarm = {.rule = nan ? ALARM_NAN : ALARM_TURBULENCE,
                       .rank = it->rank,
                       .step = it->step,
                       .last_step = it->step,
                       .stage = it->vpp_stage < 0 ? MONITOR_NONE : it->vpp_stage,
                       .micro = MONITOR_NONE,
                       .ops = {it->op},
                       .op_count = it->op.size > 0,
                       .ratio = (double)NAN,
                       .value = nan ? (double)NAN : 0,
                       .history = (double)NAN,
                       .last_value = (double)NAN,
                       .last_history = (double)NAN,
                       .call = it->call,
                       .told = it->rule};
        read_tag(it, &alarm);
        steps[i] = it->step;
        ranks[i] = it->rank;
        names_add(names, alarm.name);
        *ARRAY_PUSH(arena, &view->alarms) = alarm;
    }
    view->run = (MonitorRun){.arena = arena,
                             .names = names,
                             .steps = steps,
                             .step_count = distinct(steps, recorded->count),
                             .ranks = ranks,
                             .rank_count = distinct(ranks, recorded->count),
                             .object_count = names_count(names)};
}

static bool is_of(Str module, const Alarm *alarm)
{
    size_t colon = str_find_char(module, ':', 0);
    Str name = colon == SIZE_MAX ? module : str_slice(module, colon + 1, module.size);
    int64_t stage;
    bool same_stage = colon == SIZE_MAX || !str_to_int64(str_slice(module, 0, colon), &stage) ||
                      stage == alarm->stage;
    return same_stage && str_starts(alarm->name, name) && alarm->name.size > name.size &&
           alarm->name.data[name.size] == '.';
}

const MonitorStack *alarm_stack(const MonitorStacks *stacks, const Alarm *alarm)
{
    const MonitorStack *found = NULL;
    for (size_t i = 0; alarm && i < stacks->count; i++)
        if (is_of(stacks->items[i].module, alarm) &&
            (!found || stacks->items[i].module.size > found->module.size))
            found = &stacks->items[i];
    return found;
}

void alarms_take_order(Alarms *alarms, const MonitorStacks *order)
{
    for (size_t i = 0; i < alarms->count; i++) {
        Alarm *alarm = &alarms->items[i];
        const MonitorStack *at = alarm_stack(order, alarm);
        if (!at)
            continue;
        bool backward = str_find(alarm->name, STR("_grad"), 0) != SIZE_MAX;
        bool output = str_find(alarm->name, STR(".output"), 0) != SIZE_MAX;
        int64_t place = 2 * (int64_t)(at - order->items) + output;
        alarm->call = backward ? 2 * (int64_t)order->count - place : place;
    }
}

Str stack_frame(Str stack)
{
    size_t file = str_find(stack, STR("File "), 0);
    if (file == SIZE_MAX)
        return (Str){0};
    size_t end = str_find(stack, STR(", in "), file), line = str_find_char(stack, '\n', file);
    return str_slice(stack, file + 5, end < line ? end : line);
}
