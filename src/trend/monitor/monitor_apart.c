// SPDX-License-Identifier: Apache-2.0
// Norms that lie apart in two runs all the time.
#include "trend/monitor/monitor_apart.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

// Over the second half of the values, so many at least: the median has to be off by the first
// factor and nine of ten to that side by the second. Chosen (docs/monitor.md): seeds of one recipe
// scatter by less. Smaller ones call a seed apart, larger ones miss a rate of another size.
#define APART_FACTOR 1.5
#define APART_EACH   1.25
#define APART_SHARE  0.9
enum { APART_POINTS = 5 };

// Below this share of the usual norm of its type a norm may be all rounding noise: the gradient of
// a bias in front of a softmax or a norm is zero by mathematics.
#define APART_NEGLIGIBLE 1e-3

// Values of one object, all ranks, one micro step.
typedef struct Group {
    const MonitorSeries *first;
    double magnitude;  // median of the larger of both
    double ratio;
    bool apart;
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
    MonitorApart *out;
} Scan;

static bool is_norm(const MonitorRun *run, const MonitorSeries *series)
{
    return str_equal(monitor_series_op(run, series), STR("norm"));
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
static void add_values(Scan *scan, int64_t step, double golden, double target)
{
    bool lacks = monitor_is_absent(golden) || monitor_is_absent(target);
    scan->out->told++;
    scan->out->one_sided += lacks;
    if (lacks || !isfinite(golden) || !isfinite(target))
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
    size_t g = 0, t = 0;
    scan->out->paired++;
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
            add_values(scan, runs[0]->steps[i],
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
    Group group = {.first = first, .magnitude = median(&scan->sizes)};
    qsort(ratios->items, ratios->count, sizeof *ratios->items, by_step);
    Values late = {0};
    for (size_t i = half; i < ratios->count; i++)
        *ARRAY_PUSH(scan->scratch, &late) = ratios->items[i].ratio;
    group.ratio = median(&late);
    group.apart = (group.ratio >= APART_FACTOR || group.ratio <= 1 / APART_FACTOR) &&
                  off_from(ratios, group.ratio > 1, &group.step);
    *ARRAY_PUSH(scan->scratch, out) = group;
}

static double usual_magnitude(const Groups *groups, NameId type, Arena *scratch)
{
    Values sizes = {0};
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].first->object.type == type)
            *ARRAY_PUSH(scratch, &sizes) = groups->items[i].magnitude;
    return median(&sizes);
}

static void tell_groups(const Groups *groups, const MonitorRun *run, Arena *scratch,
                        MonitorApart *out)
{
    double usual = 0, most = 0;
    Values ratios = {0};
    for (size_t i = 0; i < groups->count; i++) {
        const Group *group = &groups->items[i];
        const MonitorObject *object = &group->first->object;
        if (i == 0 || object->type != group[-1].first->object.type)
            usual = usual_magnitude(groups, object->type, scratch);
        out->objects++;
        *ARRAY_PUSH(scratch, &ratios) = group->ratio;
        if (!group->apart || group->magnitude < APART_NEGLIGIBLE * usual)
            continue;
        out->apart++;
        double distance = fabs(log(group->ratio));
        if (out->apart > 1 && distance <= most)
            continue;
        most = distance;
        out->type = names_text(run->names, object->type);
        out->name = names_text(run->names, object->name);
        out->stage = object->stage;
        out->ratio = group->ratio;
        out->step = group->step;
    }
    out->middle = ratios.count ? median(&ratios) : (double)NAN;
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
        scan.ratios.count = scan.sizes.count = 0;
        for (end = from;
             end < run->series_count && same_object(&run->series[end].object, &first->object);
             end++) {
            const MonitorSeries *series = &run->series[end];
            size_t partner = pairing->golden_of[end];
            if (partner != SIZE_MAX && is_norm(run, series) && !series->quantised &&
                !pairing->golden->series[partner].quantised)
                add_series(&scan, series);
        }
        add_group(&scan, first, &groups);
    }
    tell_groups(&groups, run, scratch, out);
    arena_release(scratch);
}
