// SPDX-License-Identifier: Apache-2.0
// Norms and other magnitudes that lie apart in two runs all the time.
#include "trend/monitor/monitor_apart.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

// Over the second half of the values, so many at least: the median has to be off by the first
// factor and nine of ten to that side by the second. Chosen (docs/monitor.md): seeds of one recipe
// scatter by less. Smaller ones call a seed apart, larger ones miss a rate of another size.
// What is recorded next to a norm follows few elements: it has to be off by the third one.
#define APART_FACTOR 1.5
#define APART_EACH   1.25
#define APART_BESIDE 10.0
#define APART_SHARE  0.9
enum { APART_POINTS = 5 };

// Below this share of the usual norm of its type a norm may be all rounding noise: the gradient of
// a bias in front of a softmax or a norm is zero by mathematics.
#define APART_NEGLIGIBLE 1e-3

// Values of one object, all ranks, one micro step.
typedef struct Group {
    const MonitorSeries *first;
    double magnitude;  // median of the larger of both
    double usual;      // median of that over the type; -1: not known yet
    double ratio;
    bool norm, apart;
    int64_t step;
} Group;

typedef struct Groups {
    Group *items;
    size_t count, capacity;
} Groups;

typedef struct Values {
    double *items;
    size_t count, capacity;
} Values;

// Target / golden at a step of a rank.
typedef struct Ratio {
    int64_t step;
    double ratio;
} Ratio;

typedef struct Ratios {
    Ratio *items;
    size_t count, capacity;
} Ratios;

typedef struct Scan {
    const MonitorPairing *pairing;
    Arena *scratch;
    Ratios ratios;  // of the group at hand
    Values sizes;   // the larger value of each
    bool has_norm;  // of the type at hand
    MonitorApart *out;
} Scan;

static bool is_norm(const MonitorRun *run, const MonitorSeries *series)
{
    return str_equal(monitor_series_op(run, series), STR("norm"));
}

// What grows with the values: a ratio of it says something. A mean may be near zero.
static bool is_magnitude(const MonitorRun *run, const MonitorSeries *series)
{
    Str op = monitor_series_op(run, series);
    return STR_ANY(op, str_has, "norm", "max", "min", "std", "rms");
}

static bool same_object(const MonitorObject *a, const MonitorObject *b)
{
    return a->type == b->type && a->name == b->name && a->op == b->op && a->stage == b->stage &&
           a->micro == b->micro;
}

static double median(Values *values)
{
    return value_at_place(values->items, values->count, values->count / 2);
}

// Not both values need be there. NaN and infinity are alarms of their own.
static void add_values(Scan *scan, bool coarse, int64_t step, double golden, double target)
{
    bool lacks = monitor_is_absent(golden) || monitor_is_absent(target);
    scan->out->told++;
    scan->out->one_sided += lacks;
    if (lacks || coarse || !isfinite(golden) || !isfinite(target))
        return;
    double b = fabs(golden), n = fabs(target);
    *ARRAY_PUSH(scan->scratch, &scan->ratios) = (Ratio){step, b == n ? 1 : n / b};
    *ARRAY_PUSH(scan->scratch, &scan->sizes) = fmax(b, n);
}

// Steps that one run as a whole does not have are no loss of the series.
static void add_series(Scan *scan, const MonitorSeries *target)
{
    const MonitorRun *runs[] = {scan->pairing->golden, scan->pairing->target};
    const MonitorSeries *golden =
        &runs[0]->series[scan->pairing->golden_of[target - runs[1]->series]];
    bool coarse = golden->quantised || target->quantised;
    size_t g = 0, t = 0;
    for (size_t i = 0, k = 0; i < runs[0]->step_count && k < runs[1]->step_count;) {
        if (runs[0]->steps[i] != runs[1]->steps[k]) {
            if (runs[0]->steps[i] < runs[1]->steps[k])
                i++;
            else
                k++;
            continue;
        }
        while (g < golden->count && golden->points[g].step < i)
            g++;
        while (t < target->count && target->points[t].step < k)
            t++;
        bool in_golden = g < golden->count && golden->points[g].step == i;
        bool in_target = t < target->count && target->points[t].step == k;
        if (in_golden || in_target)
            add_values(scan, coarse, runs[0]->steps[i],
                       in_golden ? golden->points[g].value : monitor_absent(),
                       in_target ? target->points[t].value : monitor_absent());
        i++;
        k++;
    }
}

static int by_step(const void *a, const void *b)
{
    const Ratio *one = a, *two = b;
    if (one->step != two->step)
        return one->step > two->step ? 1 : -1;
    return (one->ratio > two->ratio) - (one->ratio < two->ratio);
}

static bool is_off(double ratio, bool larger)
{
    return larger ? ratio >= APART_EACH : ratio <= 1 / APART_EACH;
}

// The step from which nine of ten ratios are off to that side; false if not from the half on.
static bool off_from(const Ratios *ratios, bool larger, int64_t *step)
{
    size_t off = 0, half = ratios->count / 2;
    bool found = false;
    for (size_t i = ratios->count; i-- > 0;) {
        bool is = is_off(ratios->items[i].ratio, larger);
        off += is;
        if (i == half && (double)off < APART_SHARE * (double)(ratios->count - half))
            return false;
        if (is && i <= half && (double)off >= APART_SHARE * (double)(ratios->count - i)) {
            *step = ratios->items[i].step;
            found = true;
        }
    }
    return found;
}

static void add_group(Scan *scan, const MonitorSeries *first, Groups *out)
{
    Ratios *ratios = &scan->ratios;
    size_t half = ratios->count / 2;
    if (ratios->count < APART_POINTS)
        return;
    Group group = {.first = first,
                   .magnitude = median(&scan->sizes),
                   .usual = -1,
                   .norm = is_norm(scan->pairing->target, first)};
    double factor = group.norm || !scan->has_norm ? APART_FACTOR : APART_BESIDE;
    qsort(ratios->items, ratios->count, sizeof *ratios->items, by_step);
    Values late = {0};
    for (size_t i = half; i < ratios->count; i++)
        *ARRAY_PUSH(scan->scratch, &late) = ratios->items[i].ratio;
    group.ratio = median(&late);
    group.apart = (group.ratio >= factor || group.ratio <= 1 / factor) &&
                  off_from(ratios, group.ratio > 1, &group.step);
    *ARRAY_PUSH(scan->scratch, out) = group;
}

// Of each statistic of one type: groups of a type are neighbours. Returns where the type ends.
static size_t find_usual(Groups *groups, size_t from, Arena *scratch)
{
    size_t end = from;
    NameId type = groups->items[from].first->object.type;
    while (end < groups->count && groups->items[end].first->object.type == type)
        end++;
    for (size_t i = from; i < end; i++) {
        NameId op = groups->items[i].first->object.op;
        Values sizes = {0};
        if (groups->items[i].usual >= 0)
            continue;
        for (size_t k = i; k < end; k++)
            if (groups->items[k].first->object.op == op)
                *ARRAY_PUSH(scratch, &sizes) = groups->items[k].magnitude;
        double usual = median(&sizes);
        for (size_t k = i; k < end; k++)
            if (groups->items[k].first->object.op == op)
                groups->items[k].usual = usual;
    }
    return end;
}

static void name_farthest(const Group *group, const MonitorRun *run, MonitorApart *out)
{
    const MonitorObject *object = &group->first->object;
    out->type = names_text(run->names, object->type);
    out->name = names_text(run->names, object->name);
    out->op = names_text(run->names, object->op);
    out->stage = object->stage;
    out->ratio = group->ratio;
    out->step = group->step;
}

static void tell_groups(Groups *groups, const MonitorRun *run, Arena *scratch, MonitorApart *out)
{
    double most = 0;
    Values ratios = {0};
    const MonitorObject *counted = NULL;
    for (size_t i = 0; i < groups->count; i++)
        out->norms = out->norms || groups->items[i].norm;
    for (size_t i = 0, end = 0; i < groups->count; i++) {
        const Group *group = &groups->items[i];
        if (i == end)
            end = find_usual(groups, i, scratch);
        if (group->norm == out->norms) {
            out->objects++;
            *ARRAY_PUSH(scratch, &ratios) = group->ratio;
        }
        if (!group->apart || group->magnitude < APART_NEGLIGIBLE * group->usual)
            continue;
        const MonitorObject *object = &group->first->object;
        out->apart += !counted || object->name != counted->name || object->type != counted->type ||
                      object->stage != counted->stage || object->micro != counted->micro;
        double distance = fabs(log(group->ratio));
        bool nearer = counted && distance <= most;
        counted = object;
        if (nearer)
            continue;
        most = distance;
        name_farthest(group, run, out);
    }
    out->middle = ratios.count ? median(&ratios) : (double)NAN;
}

// Whether the type of the series at `from` has a norm in both runs.
static bool type_has_norm(const MonitorPairing *pairing, size_t from)
{
    const MonitorRun *run = pairing->target;
    for (size_t i = from; i < run->series_count; i++) {
        if (run->series[i].object.type != run->series[from].object.type)
            return false;
        if (pairing->golden_of[i] != SIZE_MAX && is_norm(run, &run->series[i]))
            return true;
    }
    return false;
}

void monitor_apart(const MonitorPairing *pairing, MonitorApart *out)
{
    const MonitorRun *run = pairing->target;
    Arena *scratch = arena_new();
    Scan scan = {.pairing = pairing, .scratch = scratch, .out = out};
    Groups groups = {0};
    *out = (MonitorApart){0};
    for (size_t from = 0, end; from < run->series_count; from = end) {
        const MonitorSeries *first = &run->series[from];
        if (from == 0 || first->object.type != first[-1].object.type)
            scan.has_norm = type_has_norm(pairing, from);
        scan.ratios.count = scan.sizes.count = 0;
        for (end = from;
             end < run->series_count && same_object(&run->series[end].object, &first->object);
             end++)
            if (pairing->golden_of[end] != SIZE_MAX)
                add_series(&scan, &run->series[end]);
        if (is_magnitude(run, first))
            add_group(&scan, first, &groups);
    }
    tell_groups(&groups, run, scratch, out);
    arena_release(scratch);
}
