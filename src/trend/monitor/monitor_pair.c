// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/monitor_pair.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

typedef struct Ratios {
    double *items;
    size_t count, capacity;
} Ratios;

// "type|op|stage|micro|rank|tail" of a series.
static Str pair_key(const MonitorRun *run, const MonitorSeries *series, Arena *arena)
{
    Str type = monitor_series_type(run, series), op = monitor_series_op(run, series);
    Str tail = monitor_tail(monitor_series_name(run, series));
    return str_printf(arena, STR_FMT "|" STR_FMT "|%lld|%lld|%lld|" STR_FMT, STR_ARG(type),
                      STR_ARG(op), (long long)series->object.stage, (long long)series->object.micro,
                      (long long)series->rank, STR_ARG(tail));
}

void monitor_pair(const MonitorRun *golden, const MonitorRun *target, Arena *arena,
                  MonitorPairing *out)
{
    Arena *scratch = arena_new();
    Names *keys = names_new(scratch);
    size_t *series_of = ARENA_ARRAY(scratch, size_t, golden->series_count + 1);
    for (size_t s = 0; s < golden->series_count; s++) {
        size_t known = names_count(keys);
        NameId id = names_add(keys, pair_key(golden, &golden->series[s], scratch));
        if (names_count(keys) > known)
            series_of[id - 1] = s;  // of two with one key the first one counts
    }
    *out = (MonitorPairing){.golden = golden, .target = target};
    out->golden_of = ARENA_ARRAY(arena, size_t, target->series_count + 1);
    out->target_of = ARENA_ARRAY(arena, size_t, golden->series_count + 1);
    memset(out->target_of, 0xFF, golden->series_count * sizeof *out->target_of);
    for (size_t s = 0; s < target->series_count; s++) {
        NameId id = names_find(keys, pair_key(target, &target->series[s], scratch));
        out->golden_of[s] = id ? series_of[id - 1] : SIZE_MAX;
        if (id && out->target_of[out->golden_of[s]] == SIZE_MAX)
            out->target_of[out->golden_of[s]] = s;
        out->matched += id != NAME_NONE;
        out->target_only += id == NAME_NONE;
    }
    out->golden_only =
        golden->series_count > out->matched ? golden->series_count - out->matched : 0;
    arena_release(scratch);
}

double monitor_value_at(const MonitorRun *run, const MonitorSeries *series, int64_t step)
{
    size_t index = monitor_step_index(run, step);
    size_t at;
    FIND_FIRST(at, index == SIZE_MAX ? 0 : series->count, series->points[at].step < index);
    bool found = at < series->count && series->points[at].step == index;
    return found ? series->points[at].value : monitor_absent();
}

static bool further(double ratio, double best)
{
    return isnan(best) || fabs(log(ratio)) > fabs(log(best));
}

// The values of one object: what they differ by, and all finite ratios.
typedef struct ObjectRatios {
    const MonitorPairing *pairing;
    MonitorDifference *out;
    Ratios ratios;
    Arena *scratch;
} ObjectRatios;

static void compare_point(ObjectRatios *of, const MonitorSeries *series, int64_t step,
                          double golden, double value)
{
    MonitorDifference *out = of->out;
    if (monitor_is_absent(golden) || (isnan(golden) && isnan(value)))
        return;
    out->points++;
    double ratio = fabs(value) / fabs(golden);
    if (isnan(golden) != isnan(value)) {
        out->one_sided_nan++;
        ratio = (double)INFINITY;
    } else if (value == golden) {
        ratio = 1;
    }
    if (isnan(ratio))
        return;
    if (isfinite(ratio))
        *ARRAY_PUSH(of->scratch, &of->ratios) = ratio;
    if (!further(ratio, out->largest_ratio))
        return;
    out->largest_ratio = ratio;
    out->name = monitor_series_name(of->pairing->target, series);
    out->rank = series->rank;
    out->step = step;
}

static void compare_series(ObjectRatios *of, size_t index)
{
    const MonitorPairing *pairing = of->pairing;
    const MonitorSeries *series = &pairing->target->series[index];
    const MonitorSeries *golden = &pairing->golden->series[pairing->golden_of[index]];
    of->out->series++;
    for (size_t i = 0; i < series->count; i++) {
        int64_t step = pairing->target->steps[series->points[i].step];
        compare_point(of, series, step, monitor_value_at(pairing->golden, golden, step),
                      series->points[i].value);
    }
}

// ---- what only one run has

static bool has_type(const MonitorRun *run, Str type)
{
    for (size_t i = 0; i < run->type_count; i++)
        if (str_equal(run->types[i], type))
            return true;
    return false;
}

static size_t count_ranks(const MonitorRun *run, size_t from, size_t to, Arena *scratch)
{
    Names *ranks = names_new(scratch);
    for (size_t s = from; s < to; s++)
        names_add(ranks, str_printf(scratch, "%lld", (long long)run->series[s].rank));
    return names_count(ranks);
}

// After the last series of the object that begins at `from`, or of its whole type.
static size_t group_end(const MonitorRun *run, size_t from, bool whole_type, size_t *objects)
{
    const MonitorSeries *first = &run->series[from];
    size_t end = from + 1;
    *objects = 1;
    for (; end < run->series_count && run->series[end].object.type == first->object.type; end++) {
        if (run->series[end].order == run->series[end - 1].order)
            continue;
        if (!whole_type)
            break;
        ++*objects;
    }
    return end;
}

static void add_missing(MonitorDifferences *out, Arena *arena, MonitorMissing missing)
{
    *ARRAY_ADD(arena, out->missing, out->missing_count, out->missing_capacity) = missing;
}

// The objects of `run` without a partner; a type that the other run does not have is reported once.
static void find_missing(const MonitorRun *run, const MonitorRun *other, const size_t *partner_of,
                         bool in_golden, Arena *arena, MonitorDifferences *out)
{
    for (size_t from = 0, end; from < run->series_count; from = end) {
        Str type = monitor_series_type(run, &run->series[from]);
        bool whole = !has_type(other, type), paired = false;
        size_t objects;
        end = group_end(run, from, whole, &objects);
        for (size_t s = from; s < end; s++)
            paired = paired || partner_of[s] != SIZE_MAX;
        if (paired)
            continue;
        Arena *scratch = arena_new();
        const MonitorSeries *first = &run->series[from];
        add_missing(out, arena,
                    (MonitorMissing){.in_golden = in_golden,
                                     .type = type,
                                     .name = whole ? STR("") : monitor_series_name(run, first),
                                     .stage = whole ? MONITOR_NONE : first->object.stage,
                                     .objects = objects,
                                     .ranks = count_ranks(run, from, end, scratch)});
        arena_release(scratch);
    }
}

// The statistics of `run` that `other` does not have, of a type that it has.
static void find_missing_statistics(const MonitorRun *run, const MonitorRun *other, bool in_golden,
                                    Arena *arena, MonitorDifferences *out)
{
    size_t count = run->statistics && other->statistics ? names_count(run->statistics) : 0;
    for (size_t i = 0; i < count; i++) {
        Str statistic = names_text(run->statistics, (NameId)(i + 1));
        if (has_type(other, str_slice(statistic, 0, str_rfind_char(statistic, '.'))) &&
            !names_find(other->statistics, statistic))
            add_missing(out, arena,
                        (MonitorMissing){.in_golden = in_golden,
                                         .type = statistic,
                                         .stage = MONITOR_NONE,
                                         .objects = 1,
                                         .ranks = run->rank_count});
    }
}

void monitor_differences(const MonitorPairing *pairing, Arena *arena, MonitorDifferences *out)
{
    find_missing(pairing->golden, pairing->target, pairing->target_of, true, arena, out);
    find_missing_statistics(pairing->golden, pairing->target, true, arena, out);
    find_missing(pairing->target, pairing->golden, pairing->golden_of, false, arena, out);
    find_missing_statistics(pairing->target, pairing->golden, false, arena, out);
    const MonitorRun *run = pairing->target;
    for (size_t from = 0; from < run->series_count; from++) {
        const MonitorObject *object = &run->series[from].object;
        bool known = false;
        for (size_t i = 0; i < out->count; i++)
            known = known || (str_equal(out->items[i].type, names_text(run->names, object->type)) &&
                              str_equal(out->items[i].op, names_text(run->names, object->op)));
        if (known)
            continue;
        Arena *scratch = arena_new();
        MonitorDifference difference = {.type = names_text(run->names, object->type),
                                        .op = names_text(run->names, object->op),
                                        .median_ratio = (double)NAN,
                                        .largest_ratio = (double)NAN};
        ObjectRatios values = {.pairing = pairing, .out = &difference, .scratch = scratch};
        for (size_t s = from; s < run->series_count; s++)
            if (run->series[s].object.type == object->type &&
                run->series[s].object.op == object->op && pairing->golden_of[s] != SIZE_MAX)
                compare_series(&values, s);
        const Ratios *ratios = &values.ratios;
        if (ratios->count) {
            sort_doubles(ratios->items, ratios->count);
            difference.median_ratio = ratios->items[ratios->count / 2];
        }
        *ARRAY_PUSH(arena, out) = difference;
        arena_release(scratch);
    }
}
