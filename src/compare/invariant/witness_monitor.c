// SPDX-License-Identifier: Apache-2.0
// What the files of a training monitor tell of gradients.
#include "compare/invariant/witness_take.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/invariant/witness_look.h"
#include "model/run/monitor_run.h"

enum { ROWS_MAX = 4000000 };

// One row: a gradient of one rank in one step.
typedef struct GradRow {
    int64_t step, rank;
    NameId name;
    bool reduced;
    uint8_t known;  // 1 << Stat
    double stat[STAT_COUNT];
    bool nans;            // it counts some
    size_t start, order;  // later starts of a run replace what earlier ones wrote
} GradRow;

typedef struct GradRows {
    GradRow *items;
    size_t count, capacity;
    const NumberList *steps;
    Names *names;
    Arena *scratch;
    size_t gaps;         // rows that tell some of their statistics and leave others empty
    const char *gap_in;  // of the first: its file,
    uint64_t gap_at;     // its line
    Str gap_of;          // and what it is about
    bool full;
} GradRows;

// Columns of a file, SIZE_MAX: it has none.
typedef struct GradColumns {
    size_t stat[STAT_COUNT], nans;
} GradColumns;

static size_t column_named(const MonitorRows *file, const char *name)
{
    for (size_t k = 0; k < file->op_count; k++)
        if (str_equal(file->ops[k].name, str_of(name)))
            return k;
    return SIZE_MAX;
}

static GradColumns find_columns(const MonitorRows *file)
{
    static const char *const stats[STAT_COUNT] = {"max", "min", "mean", "norm"};
    GradColumns out = {.nans = column_named(file, "nans")};
    for (int i = 0; i < STAT_COUNT; i++)
        out.stat[i] = column_named(file, stats[i]);
    return out;
}

static void take_numbers(GradRows *rows, const MonitorRows *file, const MonitorRow *row,
                         const GradColumns *columns, GradRow *out)
{
    bool gap = false;
    for (int i = 0; i < STAT_COUNT; i++) {
        size_t column = columns->stat[i];
        if (column == SIZE_MAX)
            continue;
        if (monitor_is_absent(row->values[column])) {
            gap = true;
            continue;
        }
        out->stat[i] = row->values[column];
        out->known = (uint8_t)(out->known | 1U << i);
    }
    out->nans = columns->nans != SIZE_MAX && row->values[columns->nans] > 0;
    if (gap && out->known && rows->gaps++ == 0) {
        rows->gap_in = file->file->path;
        rows->gap_of = names_text(rows->names, out->name);
        rows->gap_at = row->line;
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
                     const GradColumns *columns)
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
    take_numbers(rows, file, row, columns, new);
}

static void take_file(GradRows *rows, const MonitorFile *file, Notices *notices)
{
    MonitorRows reading;
    MonitorRow row;
    Error err;
    if (str_find(file->kind, STR("grad"), 0) == SIZE_MAX)
        return;
    if (!monitor_rows_open(&reading, file, rows->scratch, &err)) {
        notices_add_error(notices, &err);
        return;
    }
    GradColumns columns = find_columns(&reading);
    while (!rows->full && monitor_rows_next(&reading, &row))
        take_row(rows, &reading, &row, &columns);
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

// ---- how many digits are recorded

// A rank's numbers are written by one writer.
typedef struct AllDigits {
    Names *ranks;
    ToldDigits *items;  // by rank
    size_t count;
} AllDigits;

static ToldDigits *digits_of(const GradRows *rows, AllDigits *all, int64_t rank)
{
    NameId id = names_add(all->ranks, names_number(&rank));
    return &ARRAY_REACH(rows->scratch, all->items, all->count, id)[id];
}

static void see_digits(const GradRows *rows, AllDigits *out)
{
    for (size_t i = 0; i < rows->count; i++)
        for (int k = 0; k < STAT_COUNT; k++)
            if (rows->items[i].known >> k & 1)
                told_digits_see(digits_of(rows, out, rows->items[i].rank), rows->items[i].stat[k]);
}

// Gradients are measured: digits that all of them lack were rounded off, however few they are.
static ToldRounding rounding_of(const ToldDigits *told)
{
    bool digits = told->digits <= TOLD_DIGITS_MOST && told->decimals >= told->digits;
    bool decimals = told->decimals <= TOLD_DIGITS_MOST;
    return (ToldRounding){.digits = digits ? told->digits : 0,
                          .decimals = decimals ? told->decimals : 0};
}

// ---- the ranks

static TensorSeen seen_of(const GradRow *row, ToldRounding rounding)
{
    TensorSeen out = {.dtype = STR("float"), .known = row->known, .rounding = rounding};
    for (int i = 0; i < STAT_COUNT; i++)
        out.stat[i] = row->stat[i];
    return out;
}

static void take_gradient(const GradRows *rows, const GradRow *row, ToldRounding rounding,
                          RankWitness *out)
{
    Str name = names_text(rows->names, row->name);
    ParameterSeen *it = out->parameter_count ? &out->parameters[out->parameter_count - 1] : NULL;
    if (!it || !str_equal(it->name, name)) {
        it = ARRAY_ADD(out->arena, out->parameters, out->parameter_count, out->parameter_capacity);
        *it = (ParameterSeen){.name = str_copy(out->arena, name)};
        it->op = it->name;
    }
    TensorSeen seen = seen_of(row, rounding);
    if (row->known || row->nans)
        witness_finite(out, it->name, &seen, row->nans);
    if (!row->reduced) {
        it->unreduced_told = seen.known >> STAT_MEAN & 1 && isfinite(seen.stat[STAT_MEAN]);
        it->unreduced_mean = seen.stat[STAT_MEAN];
        it->unreduced_blur = tensor_seen_blur(&seen, STAT_MEAN);
        return;
    }
    it->gradient = seen;
    it->reduced = it->gradient_told = it->gradient_came = out->has_gradients = true;
    it->gradient_zero = (tensor_seen_zero(&it->gradient) ||
                         (row->known >> STAT_NORM & 1 && row->stat[STAT_NORM] == 0)) &&
                        tensor_seen_blur(&it->gradient, STAT_NORM) == 0;
    it->gradient_nonzero = row->known >> STAT_NORM & 1 && fabs(row->stat[STAT_NORM]) > 0;
}

static bool is_same(const GradRow *a, const GradRow *b)
{
    return a->step == b->step && a->rank == b->rank && a->name == b->name &&
           a->reduced == b->reduced;
}

// Of equal rows the last start counts; where it has several, they are micro steps.
static void build(const GradRows *rows, Arena *arena, MonitorWitness *out)
{
    AllDigits digits = {.ranks = names_new(rows->scratch)};
    see_digits(rows, &digits);
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
            take_gradient(rows, last, rounding_of(digits_of(rows, &digits, row->rank)), now);
    }
    for (size_t i = 0; i < out->count; i++)
        parameters_sort(out->items[i].parameters, out->items[i].parameter_count);
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
    if (rows.gaps)
        notices_partial(notices, ((Where){.file = rows.gap_in, .line = rows.gap_at, .byte = -1}),
                        tr("gradients with only some of their statistics: %zu, the first " STR_FMT),
                        rows.gaps, STR_ARG(rows.gap_of));
    if (rows.count > 1)
        qsort(rows.items, rows.count, sizeof *rows.items, by_place);
    build(&rows, arena, out);
    arena_release(scratch);
}
