// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/threads.h"
#include "base/words.h"
#include "trend/monitor/monitor_task.h"

typedef struct Tasks {
    Task *items;
    size_t count, capacity;
} Tasks;

typedef struct Int64s {
    int64_t *items;
    size_t count, capacity;
} Int64s;

typedef struct Scan {
    Arena *arena;
    MonitorRun *run;
    Tasks tasks;
    Names *objects;  // "stage:name" of every object, in network order
    Alarms *alarms;
} Scan;

static bool rank_wanted(const MonitorSelect *select, int64_t rank)
{
    if (!select->ranks || select->ranks->count == 0)
        return true;
    for (size_t i = 0; i < select->ranks->count; i++)
        if (rank >= select->ranks->items[i].first && rank <= select->ranks->items[i].last)
            return true;
    return false;
}

// In the second generation the scope of a row decides, so those files are always opened.
static bool kind_wanted(const MonitorSelect *select, Str kind)
{
    return STR_IN(kind, "module", "weight_grad", "optimizer", "param", "cc") ||
           monitor_select_takes(select, kind);
}

static void make_tasks(Scan *scan, const MonitorTree *tree, const MonitorSelect *select,
                       const MonitorRules *rules)
{
    const MonitorFiles *files = &tree->series;
    for (size_t from = 0, end; from < files->count; from = end) {
        const MonitorFile *first = &files->items[from];
        for (end = from + 1; end < files->count; end++)
            if (files->items[end].rank != first->rank ||
                !str_equal(files->items[end].kind, first->kind))
                break;
        if (!rank_wanted(select, first->rank) || !kind_wanted(select, first->kind))
            continue;
        Task *task = ARRAY_PUSH(scan->arena, &scan->tasks);
        *task = (Task){.files = first,
                       .given_count = end - from,
                       .select = select,
                       .rules = rules,
                       .arena = arena_new()};
        notices_init(&task->notices, task->arena);
        task->names = names_new(task->arena);
    }
}

static void run_one(void *context, size_t index)
{
    Tasks *tasks = context;
    task_run(&tasks->items[index]);
}

// ---- joining

static void join_steps(Scan *scan)
{
    size_t total = 0;
    for (size_t t = 0; t < scan->tasks.count; t++)
        total += scan->tasks.items[t].step_count;
    int64_t *steps = ARENA_ARRAY(scan->arena, int64_t, total + 1);
    size_t count = 0;
    for (size_t t = 0; t < scan->tasks.count; t++) {
        const Task *task = &scan->tasks.items[t];
        if (task->step_count)
            memcpy(steps + count, task->steps, task->step_count * sizeof *steps);
        count += task->step_count;
    }
    scan->run->steps = steps;
    scan->run->step_count = sort_distinct(steps, count);
}

static void join_ranks(Scan *scan)
{
    int64_t *ranks = ARENA_ARRAY(scan->arena, int64_t, scan->tasks.count + 1);
    size_t count = 0;
    for (size_t t = 0; t < scan->tasks.count; t++)
        if (scan->tasks.items[t].row_count)
            ranks[count++] = scan->tasks.items[t].files[0].rank;
    scan->run->ranks = ranks;
    scan->run->rank_count = sort_distinct(ranks, count);
}

static void join_counts(MonitorRun *run, const Task *task)
{
    run->row_count += task->row_count;
    run->byte_count += task->byte_count;
    run->file_count += task->file_count;
    if (!task->overlap)
        return;
    if (!run->overlap || task->overlap_first < run->overlap_first)
        run->overlap_first = task->overlap_first;
    if (!run->overlap || task->overlap_last > run->overlap_last)
        run->overlap_last = task->overlap_last;
    run->overlap = true;
}

// The order of objects in the network: that of the first type that holds them, over all ranks.
static void order_objects(Scan *scan, const Task *task)
{
    Arena *scratch = arena_new();
    for (size_t i = 0; i < task->objects.count; i++) {
        const TaskObject *object = &task->objects.items[i];
        Str name = names_text(task->names, object->name);
        names_add(scan->objects,
                  str_printf(scratch, "%lld:" STR_FMT, (long long)object->stage, STR_ARG(name)));
    }
    arena_release(scratch);
}

static uint32_t object_order(const Scan *scan, Arena *scratch, int64_t stage, Str name)
{
    return names_find(scan->objects,
                      str_printf(scratch, "%lld:" STR_FMT, (long long)stage, STR_ARG(name)));
}

static uint32_t *translate_steps(const Scan *scan, const Task *task, Arena *scratch)
{
    uint32_t *to = ARENA_ARRAY(scratch, uint32_t, task->step_count + 1);
    for (size_t i = 0; i < task->step_count; i++)
        to[i] = (uint32_t)monitor_step_index(scan->run, task->steps[i]);
    return to;
}

static MonitorPoint *copy_points(const Scan *scan, const TaskSeries *from, const uint32_t *step_of)
{
    MonitorPoint *points = ARENA_ARRAY(scan->arena, MonitorPoint, from->count);
    for (size_t i = 0; i < from->count; i++)
        points[i] = (MonitorPoint){step_of[from->points[i].step], from->points[i].value};
    return points;
}

static void join_series(Scan *scan, const Task *task, uint32_t first_call, size_t *next)
{
    MonitorRun *run = scan->run;
    Arena *scratch = arena_new();
    uint32_t *step_of = translate_steps(scan, task, scratch);
    for (size_t s = 0; s < task->series.count; s++) {
        const TaskSeries *from = &task->series.items[s];
        const TaskObject *object = &task->objects.items[from->object];
        Str name = names_text(task->names, object->name);
        if (from->count == 0)
            continue;
        run->series[(*next)++] = (MonitorSeries){
            .object = {.type = names_add(run->names, names_text(task->names, object->type)),
                       .name = names_add(run->names, name),
                       .op = names_add(run->names, names_text(task->names, from->op)),
                       .stage = object->stage,
                       .micro = object->micro},
            .rank = task->files[0].rank,
            .order = object_order(scan, scratch, object->stage, name),
            .call = first_call + object->call,
            .quantised = msprobe_alarm_quantised(&object->states[from->op_index]),
            .unit = task->unit,
            .points = copy_points(scan, from, step_of),
            .count = from->count,
        };
    }
    arena_release(scratch);
}

// Weak alarms that were only counted; those on quantised values would not have been any.
static uint64_t count_left_out(const Task *task)
{
    uint64_t count = 0;
    for (size_t i = 0; i < task->objects.count; i++)
        for (size_t op = 0; op < task->objects.items[i].state_count; op++) {
            const MsprobeAlarmState *state = &task->objects.items[i].states[op];
            count += msprobe_alarm_quantised(state) ? 0 : state->left_out;
        }
    return count;
}

// Hits of one row become one alarm.
static void join_hits(Scan *scan, const Task *task, uint32_t first_call)
{
    Alarms *alarms = scan->alarms;
    uint32_t row = UINT32_MAX, last_object = UINT32_MAX;
    for (size_t i = 0; i < task->hits.count; i++) {
        const TaskHit *hit = &task->hits.items[i];
        const TaskObject *object = &task->objects.items[hit->object];
        bool coarse =
            hit->rule == ALARM_TURBULENCE && msprobe_alarm_quantised(&object->states[hit->op]);
        if (hit->dropped || coarse)
            continue;
        Alarm *alarm = alarms->count ? &alarms->items[alarms->count - 1] : NULL;
        bool same = alarm && hit->row == row && hit->object == last_object &&
                    alarm->rule == hit->rule && alarm->step == hit->step;
        row = hit->row;
        last_object = hit->object;
        if (!same) {
            alarm = ARRAY_PUSH(scan->arena, alarms);
            *alarm = (Alarm){
                .rule = hit->rule,
                .rank = task->files[0].rank,
                .step = hit->step,
                .last_step = hit->step,
                .stage = object->stage,
                .micro = object->micro,
                .type = str_copy(scan->arena, names_text(task->names, object->type)),
                .name = str_copy(scan->arena, names_text(task->names, object->name)),
                .ratio =
                    hit->rule == ALARM_TURBULENCE ? fabs(hit->value) / hit->history : (double)NAN,
                .value = hit->value,
                .history = hit->history,
                .call = first_call + object->call,
            };
        }
        alarm->last_value = hit->value;
        alarm->last_history = hit->history;
        if (alarm->op_count < ALARM_OPS_MAX)
            alarm->ops[alarm->op_count++] =
                str_copy(scan->arena, names_text(task->names, task->ops[hit->op]));
    }
    alarms->left_out += count_left_out(task);
}

static int compare_series(const void *left, const void *right)
{
    const MonitorSeries *a = left, *b = right;
    if (a->object.type != b->object.type)
        return a->object.type < b->object.type ? -1 : 1;  // ids were made in the order of types
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->object.micro != b->object.micro)
        return a->object.micro < b->object.micro ? -1 : 1;
    if (a->object.op != b->object.op)
        return a->object.op < b->object.op ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_types(const void *left, const void *right)
{
    const Str *a = left, *b = right;
    size_t order_a = monitor_type_order(*a), order_b = monitor_type_order(*b);
    if (order_a != order_b)
        return order_a < order_b ? -1 : 1;
    return str_compare(*a, *b);
}

static void join_statistics(Scan *scan, const Task *task, Str type)
{
    for (size_t i = 0; i < task->op_count; i++)
        names_add(scan->run->statistics,
                  str_printf(scan->arena, STR_FMT "." STR_FMT, STR_ARG(type),
                             STR_ARG(names_text(task->names, task->ops[i]))));
}

// Also gives the types their first ids, in order.
static void join_types(Scan *scan)
{
    MonitorRun *run = scan->run;
    Names *seen = names_new(scan->arena);
    run->statistics = names_new(scan->arena);
    for (size_t t = 0; t < scan->tasks.count; t++) {
        const Task *task = &scan->tasks.items[t];
        for (size_t i = 0; i < task->objects.count; i++) {
            const TaskObject *object = &task->objects.items[i];
            Str type = names_text(task->names, object->type);
            names_add(seen, type);
            if (i == 0 || object->type != object[-1].type)
                join_statistics(scan, task, type);
        }
    }
    run->type_count = names_count(seen);
    Str *types = ARENA_ARRAY(scan->arena, Str, run->type_count + 1);
    for (size_t i = 0; i < run->type_count; i++)
        types[i] = names_text(seen, (NameId)(i + 1));
    if (run->type_count)
        qsort(types, run->type_count, sizeof *types, compare_types);
    for (size_t i = 0; i < run->type_count; i++)
        names_add(run->names, types[i]);
    run->types = types;
}

static int compare_tasks(const void *left, const void *right)
{
    const Task *a = left, *b = right;
    int order = compare_types(&a->files[0].kind, &b->files[0].kind);
    if (order)
        return order;
    return (a->files[0].rank > b->files[0].rank) - (a->files[0].rank < b->files[0].rank);
}

// The place of a row in its step counts the rows of all earlier types of that rank: by task.
static uint32_t *list_first_calls(const Scan *scan)
{
    size_t count = scan->tasks.count;
    Names *ranks = names_new(scan->arena);
    uint32_t *first = ARENA_ARRAY(scan->arena, uint32_t, count + 1);
    uint32_t *calls = ARENA_ARRAY(scan->arena, uint32_t, count + 1);  // by name of the rank
    for (size_t t = 0; t < count; t++) {
        const Task *task = &scan->tasks.items[t];
        NameId rank = names_add(ranks, names_number(&task->files[0].rank));
        first[t] = calls[rank];
        calls[rank] += (uint32_t)task->objects.count;
    }
    return first;
}

static void join(Scan *scan, Notices *notices)
{
    MonitorRun *run = scan->run;
    join_steps(scan);
    join_ranks(scan);
    if (scan->tasks.count)
        qsort(scan->tasks.items, scan->tasks.count, sizeof *scan->tasks.items, compare_tasks);
    join_types(scan);
    size_t total = 0;
    for (size_t t = 0; t < scan->tasks.count; t++) {
        order_objects(scan, &scan->tasks.items[t]);
        total += scan->tasks.items[t].series.count;
    }
    run->object_count = names_count(scan->objects);
    run->series = ARENA_ARRAY(scan->arena, MonitorSeries, total + 1);
    const uint32_t *first_calls = list_first_calls(scan);
    for (size_t t = 0; t < scan->tasks.count; t++) {
        Task *task = &scan->tasks.items[t];
        join_counts(run, task);
        join_series(scan, task, first_calls[t], &run->series_count);
        join_hits(scan, task, first_calls[t]);
        account_set_aside(&task->notices.account, ASIDE_REPEATED, task->replaced_points);
        account_set_aside(&task->notices.account, ASIDE_NO_VALUE, task->empty_cells);
        account_compare_rest(&task->notices.account);
        notices_join(notices, &task->notices);
        if (task->replaced_points)
            notices_add(notices, NOTICE_TOLD, WHERE_FILE(task->files[0].path),
                        tr("steps were written again; the later ones count"));
    }
    if (run->series_count)
        qsort(run->series, run->series_count, sizeof *run->series, compare_series);
}

static bool is_selection(const MonitorSelect *select)
{
    return select->type_count || (select->steps && select->steps->count) ||
           (select->ranks && select->ranks->count);
}

static void add_name(StrBuf *out, Names *seen, Str name)
{
    size_t before = names_count(seen);
    names_add(seen, name);
    if (names_count(seen) == before)
        return;
    strbuf_printf(out, "%s" STR_FMT, out->size ? ", " : "", STR_ARG(name));
}

// "norm, max, min" of all files that were read.
static Str statistics_text(const Scan *scan)
{
    StrBuf out = strbuf_new(scan->arena);
    Names *seen = names_new(scan->arena);
    for (size_t t = 0; t < scan->tasks.count; t++)
        for (size_t i = 0; i < scan->tasks.items[t].op_count; i++)
            add_name(&out, seen,
                     names_text(scan->tasks.items[t].names, scan->tasks.items[t].ops[i]));
    return strbuf_str(&out);
}

// "grad_reduced, actv" of all files, read or not.
static Str types_text(const Scan *scan, const MonitorTree *tree)
{
    StrBuf out = strbuf_new(scan->arena);
    Names *seen = names_new(scan->arena);
    Str type;
    for (size_t i = 0; i < tree->series.count; i++)
        for (size_t at = 0; monitor_type_next(tree->series.items[i].kind, &at, &type);)
            add_name(&out, seen, type);
    return strbuf_str(&out);
}

// "0, 1, 3" of all files, read or not.
static Str ranks_text(const Scan *scan, const MonitorTree *tree)
{
    StrBuf out = strbuf_new(scan->arena);
    Names *seen = names_new(scan->arena);
    for (size_t i = 0; i < tree->series.count; i++)
        add_name(&out, seen,
                 str_printf(scan->arena, "%lld", (long long)tree->series.items[i].rank));
    return strbuf_str(&out);
}

// A run of which nothing was looked at is not a quiet one.
static bool something_is_left(const Scan *scan, const MonitorTree *tree,
                              const MonitorSelect *select, Error *err)
{
    const MonitorRun *run = scan->run;
    Where where = WHERE_FILE(tree->base);
    if (run->step_count == 0 && is_selection(select)) {
        error_set(err, ERR_INPUT, where,
                  tr("no row has the steps, ranks and types that are asked for"));
        return error_hint(err, tr("there are types " STR_FMT "; ranks " STR_FMT),
                          STR_ARG(types_text(scan, tree)), STR_ARG(ranks_text(scan, tree)));
    }
    if (run->row_count == 0)
        return error_set(err, ERR_INPUT, where, tr("no row of the monitor files can be used"));
    if (run->series_count == 0 && select->stat.size) {
        error_set(err, ERR_INPUT, where, tr("no file has the statistic '" STR_FMT "'"),
                  STR_ARG(select->stat));
        return error_hint(err, tr("there are " STR_FMT), STR_ARG(statistics_text(scan)));
    }
    return true;
}

void monitor_note_missing(const MonitorRun *run, const MonitorTree *tree,
                          const MonitorSelect *select, Notices *notices)
{
    number_list_note_missing(select->steps, false, run->steps, run->step_count, tree->base,
                             notices);
    number_list_note_missing(select->ranks, true, run->ranks, run->rank_count, tree->base, notices);
    for (size_t k = 0; k < select->type_count; k++) {
        MonitorSelect one = {.types = &select->types[k], .type_count = 1};
        bool there = false;
        Str type;
        for (size_t i = 0; i < tree->series.count; i++)
            for (size_t at = 0; monitor_type_next(tree->series.items[i].kind, &at, &type);)
                there = there || monitor_select_takes(&one, type);
        if (!there)
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(tree->base),
                        tr("no data of type '" STR_FMT "', which was asked for"),
                        STR_ARG(select->types[k]));
    }
}

// Rows without a number are no quiet ones. Of a twentieth of them the run was not looked at whole.
static bool numbers_are_told(const Scan *scan, const MonitorTree *tree, Notices *notices,
                             Error *err)
{
    uint64_t taken = 0, untold = 0;
    for (size_t t = 0; t < scan->tasks.count; t++) {
        taken += scan->tasks.items[t].taken;
        untold += scan->tasks.items[t].untold;
    }
    if (taken && untold == taken)
        return error_set(err, ERR_INPUT, WHERE_FILE(tree->base),
                         tr("no row of the monitor files holds a number"));
    Str text = str_printf(scan->arena, tr("of %llu rows %llu without a number"),
                          (unsigned long long)taken, (unsigned long long)untold);
    if (20 * untold > taken)
        notices_partial(notices, WHERE_FILE(tree->base), STR_FMT, STR_ARG(text));
    else if (untold)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(tree->base), STR_FMT, STR_ARG(text));
    return true;
}

bool monitor_scan(const MonitorTree *tree, const MonitorSelect *select, const MonitorRules *rules,
                  Arena *arena, MonitorRun *out, Alarms *alarms, Notices *notices, Error *err)
{
    *out = (MonitorRun){.arena = arena, .names = names_new(arena), .path = tree->base};
    Scan scan = {.arena = arena, .run = out, .objects = names_new(arena), .alarms = alarms};
    make_tasks(&scan, tree, select, rules);
    threads_run(scan.tasks.count, select->jobs, run_one, &scan.tasks);
    join(&scan, notices);
    bool good =
        something_is_left(&scan, tree, select, err) && numbers_are_told(&scan, tree, notices, err);
    if (good)
        monitor_note_missing(out, tree, select, notices);
    for (size_t t = 0; t < scan.tasks.count; t++)
        arena_release(scan.tasks.items[t].arena);
    return good;
}
