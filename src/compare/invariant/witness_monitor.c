// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/witness_monitor.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/words.h"
#include "model/run/monitor_run.h"

enum { ROWS_MAX = 4000000 };

// One row: a gradient of one rank in one step.
typedef struct GradRow {
    int64_t step, rank;
    NameId name;
    bool reduced;
    uint8_t known;  // 1 << Stat
    double stat[STAT_COUNT];
    size_t start, order;  // later starts of a run replace what earlier ones wrote
} GradRow;

typedef struct GradRows {
    GradRow *items;
    size_t count, capacity;
    const NumberList *steps;
    Names *names;
    Arena *scratch;
    bool full;
} GradRows;

static void find_columns(const MonitorRows *file, size_t *column)
{
    static const char *const stats[STAT_COUNT] = {"max", "min", "mean", "norm"};
    for (int i = 0; i < STAT_COUNT; i++) {
        column[i] = SIZE_MAX;
        for (size_t k = file->op_count; k-- > 0;)
            if (str_equal(file->ops[k].name, str_of(stats[i])))
                column[i] = k;
    }
}

static NameId name_of(GradRows *rows, const MonitorRow *row)
{
    if (row->stage == MONITOR_NONE || row->stage == 0)
        return names_add(rows->names, row->name);
    return names_add(rows->names, str_printf(rows->scratch, "vp%lld:" STR_FMT,
                                             (long long)row->stage, STR_ARG(row->name)));
}

static void take_row(GradRows *rows, const MonitorRows *file, const MonitorRow *row,
                     const size_t *column)
{
    Str type = monitor_type_of(file->file->kind, row->scope);
    bool reduced = str_equal(type, STR("grad_reduced"));
    if ((!reduced && !str_equal(type, STR("grad_unreduced"))) ||
        !number_list_has(rows->steps, row->step))
        return;
    rows->full = rows->count == ROWS_MAX;
    if (rows->full)
        return;
    GradRow *new = ARRAY_PUSH(rows->scratch, rows);
    *new = (GradRow){.step = row->step,
                     .rank = file->file->rank,
                     .name = name_of(rows, row),
                     .reduced = reduced,
                     .start = file->file->start,
                     .order = rows->count};
    for (int i = 0; i < STAT_COUNT; i++)
        if (column[i] != SIZE_MAX && !monitor_is_absent(row->values[column[i]])) {
            new->stat[i] = row->values[column[i]];
            new->known = (uint8_t)(new->known | 1U << i);
        }
}

static void take_file(GradRows *rows, const MonitorFile *file, Notices *notices)
{
    MonitorRows reading;
    MonitorRow row;
    Error err;
    size_t column[STAT_COUNT];
    if (str_find(file->kind, STR("grad"), 0) == SIZE_MAX)
        return;
    if (!monitor_rows_open(&reading, file, rows->scratch, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    find_columns(&reading, column);
    while (!rows->full && monitor_rows_next(&reading, &row))
        take_row(rows, &reading, &row, column);
    monitor_rows_close(&reading, notices);
}

static int by_place(const void *a, const void *b)
{
    const GradRow *one = a, *two = b;
    int order = order_int64(one->step, two->step);
    order = order ? order : order_int64(one->rank, two->rank);
    order = order ? order : order_int64(one->name, two->name);
    order = order ? order : (int)one->reduced - (int)two->reduced;
    order = order ? order : (one->start > two->start) - (one->start < two->start);
    return order ? order : (one->order > two->order) - (one->order < two->order);
}

static TensorSeen seen_of(const GradRow *row)
{
    TensorSeen out = {.dtype = STR("float"), .known = row->known};
    for (int i = 0; i < STAT_COUNT; i++)
        out.stat[i] = row->stat[i];
    return out;
}

static void take_gradient(const GradRows *rows, const GradRow *row, RankWitness *out)
{
    Str name = names_text(rows->names, row->name);
    ParameterSeen *it = out->parameter_count ? &out->parameters[out->parameter_count - 1] : NULL;
    if (!it || !str_equal(it->name, name)) {
        it = ARRAY_ADD(out->arena, out->parameters, out->parameter_count, out->parameter_capacity);
        *it = (ParameterSeen){.name = str_copy(out->arena, name)};
        it->op = it->name;
    }
    if (!row->reduced) {
        it->unreduced = seen_of(row);
        it->unreduced_came = true;
        return;
    }
    it->gradient = seen_of(row);
    it->reduced = it->gradient_told = it->gradient_came = out->has_gradients = true;
    it->gradient_zero = tensor_seen_zero(&it->gradient) ||
                        (row->known >> STAT_NORM & 1 && row->stat[STAT_NORM] == 0);
    it->gradient_nonzero = row->known >> STAT_NORM & 1 && row->stat[STAT_NORM] != 0;
}

static bool is_same(const GradRow *a, const GradRow *b)
{
    return a->step == b->step && a->rank == b->rank && a->name == b->name &&
           a->reduced == b->reduced;
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const ParameterSeen *)a)->name, ((const ParameterSeen *)b)->name);
}

// Of equal rows the last start counts; where it has several, they are micro steps.
static void build(const GradRows *rows, Arena *arena, MonitorWitness *out)
{
    for (size_t i = 0, end; i < rows->count; i = end) {
        const GradRow *row = &rows->items[i];
        for (end = i + 1; end < rows->count && is_same(row, &rows->items[end]);)
            end++;
        const GradRow *last = &rows->items[end - 1];
        RankWitness *now = out->count ? &out->items[out->count - 1] : NULL;
        if (!now || now->step != row->step || now->rank != row->rank) {
            now = ARRAY_PUSH(arena, out);
            *now = (RankWitness){
                .step = row->step, .rank = row->rank, .arena = arena, .read = {.partial_at = -1}};
        }
        if (end - i == 1 || last[-1].start != last->start)
            take_gradient(rows, last, now);
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].parameter_count > 1)
            qsort(out->items[i].parameters, out->items[i].parameter_count,
                  sizeof *out->items[i].parameters, by_name);
}

void witness_monitor(const MonitorTree *tree, const NumberList *steps, const NumberList *ranks,
                     Arena *arena, MonitorWitness *out, Notices *notices)
{
    Arena *scratch = arena_new();
    GradRows rows = {.steps = steps, .names = names_new(scratch), .scratch = scratch};
    *out = (MonitorWitness){0};
    for (size_t i = 0; i < tree->series.count && !rows.full; i++)
        if (number_list_has(ranks, tree->series.items[i].rank))
            take_file(&rows, &tree->series.items[i], notices);
    if (rows.full)
        notices_partial(notices, NOWHERE,
                        tr("the first %d gradients of the monitor were looked at; choose others "
                           "with --step and --rank"),
                        (int)ROWS_MAX);
    if (rows.count > 1)
        qsort(rows.items, rows.count, sizeof *rows.items, by_place);
    build(&rows, arena, out);
    arena_release(scratch);
}
