// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/step_align.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/words.h"
#include "trend/curves/smooth.h"

enum { SPACING_SAMPLES = 1000, SAMPLED_MIN = 3 };

int64_t series_spacing(const Series *series, Arena *arena)
{
    if (series->count < 2)
        return 1;
    size_t gaps = series->count - 1, stride = gaps / SPACING_SAMPLES + 1, count = 0;
    double *sample = ARENA_ARRAY(arena, double, gaps / stride + 1);
    for (size_t i = 0; i < gaps; i += stride)
        sample[count++] = (double)(series->points.x[i + 1] - series->points.x[i]);
    double spacing = median_of(sample, count);
    return spacing < 1 ? 1 : (int64_t)spacing;
}

// Sums over windows whose ends rise. Where they overlap so often that values would be read more
// than twice, a sum is put together from that up to `middle` and that behind it.
typedef struct Windows {
    const double *values;
    size_t count;   // of the values
    double *ahead;  // by value: the sum from it up to `middle`
    double behind;  // the sum from `middle` up to `end`
    size_t middle, end;
    size_t again;  // values read again
} Windows;

static double window_sum(Windows *windows, size_t from, size_t end)
{
    size_t again = windows->end > from ? windows->end - from : 0;
    if (from < windows->middle && windows->again + again > windows->count) {
        for (size_t i = windows->end; i < end; i++)
            windows->behind += windows->values[i];
        windows->end = end;
        return windows->ahead[from] + windows->behind;
    }
    double sum = 0, back = 0;
    for (size_t i = from; i < end; i++)
        sum += windows->values[i];
    for (size_t i = end; i-- > from;)
        windows->ahead[i] = back += windows->values[i];
    windows->again += again;
    windows->behind = 0;
    windows->middle = windows->end = end;
    return sum;
}

// The series on the steps of a coarser one: the mean over each interval that ends at a step of it.
static Series coarsen(const Series *fine, const Series *coarse, int64_t interval, Arena *arena)
{
    Series out = *fine;
    PointColumns points = point_columns(arena, coarse->count);
    out.count = 0;
    Windows windows = {.values = fine->points.value,
                       .count = fine->count,
                       .ahead = ARENA_ARRAY(arena, double, fine->count + 1)};
    size_t at = 0, end = 0;
    for (size_t i = 0; i < coarse->count; i++) {
        int64_t x = coarse->points.x[i], from = x - interval;
        while (at < fine->count && fine->points.x[at] <= from)
            at++;
        for (end = end < at ? at : end; end < fine->count && fine->points.x[end] <= x;)
            end++;
        bool reached = fine->count && fine->points.x[fine->count - 1] >= x;
        if (end > at && reached)
            point_put(points, out.count++,
                      (Point){x, window_sum(&windows, at, end) / (double)(end - at)});
    }
    out.points = points;
    return out;
}

// Whether the coarser run prints the value of its step and not the mean since the last: it is at
// least twice as near to the finer run's values as to its means. Where the two are of different
// seeds, neither is near.
static bool is_sampled(const Series *fine, const Series *coarse, int64_t interval, Arena *arena)
{
    Series means = coarsen(fine, coarse, interval, arena);
    double *to_mean = ARENA_ARRAY(arena, double, means.count + 1);
    double *to_value = ARENA_ARRAY(arena, double, means.count + 1);
    size_t count = 0, at = 0, of = 0;
    for (size_t i = 0; i < means.count; i++) {
        int64_t x = means.points.x[i];
        while (at < fine->count && fine->points.x[at] < x)
            at++;
        while (coarse->points.x[of] < x)
            of++;
        if (at == fine->count || fine->points.x[at] != x)
            continue;
        double mean = fabs(coarse->points.value[of] - means.points.value[i]);
        double value = fabs(coarse->points.value[of] - fine->points.value[at]);
        if (!isfinite(mean) || !isfinite(value))
            continue;
        to_mean[count] = mean;
        to_value[count++] = value;
    }
    if (count < SAMPLED_MIN)
        return false;
    double mean = median_of(to_mean, count);
    return mean > 0 && 2 * median_of(to_value, count) <= mean;
}

static const Series *coarsest(const Series *const *series, size_t count, Arena *arena,
                              int64_t *most)
{
    const Series *found = series[0];
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t spacing = series_spacing(series[i], arena);
        if (spacing > *most) {
            *most = spacing;
            found = series[i];
        }
    }
    return found;
}

static int64_t shifted(const Series *series, size_t index, size_t at, int64_t shift)
{
    return series->points.x[at] + (index == 1 ? shift : 0);
}

// Walks all series at once; each step of the first is looked for in the others.
static void intersect(const Series *all, size_t count, int64_t shift, int64_t *x, Aligned *out)
{
    size_t at[64] = {0};
    size_t paired = 0;
    for (size_t i = 0; i < all[0].count; i++) {
        bool everywhere = true;
        int64_t step = all[0].points.x[i];
        for (size_t r = 1; r < count; r++) {
            while (at[r] < all[r].count && shifted(&all[r], r, at[r], shift) < step)
                at[r]++;
            everywhere =
                everywhere && at[r] < all[r].count && shifted(&all[r], r, at[r], shift) == step;
        }
        if (!everywhere)
            continue;
        x[paired] = step - (count > 1 ? shift : 0);
        out->values[0][paired] = all[0].points.value[i];
        for (size_t r = 1; r < count; r++)
            out->values[r][paired] = all[r].points.value[at[r]];
        paired++;
    }
    out->count = paired;
    out->only[0] = all[0].count - paired;
    out->only[1] = count > 1 ? all[1].count - paired : 0;
}

static bool is_finer(const Series *series, int64_t interval, Arena *arena)
{
    return 2 * series_spacing(series, arena) <= interval;
}

void align_series(const Series *const *series, size_t count, bool mean, int64_t shift, Arena *arena,
                  Aligned *out)
{
    count = count > 64 ? 64 : count;
    Series *all = ARENA_ARRAY(arena, Series, count);
    int64_t interval;
    const Series *coarse = coarsest(series, count, arena, &interval);
    for (size_t r = 0; r < count && mean; r++)
        if (is_finer(series[r], interval, arena) && is_sampled(series[r], coarse, interval, arena))
            mean = false;
    for (size_t r = 0; r < count; r++)
        all[r] = mean && is_finer(series[r], interval, arena)
                     ? coarsen(series[r], coarse, interval, arena)
                     : *series[r];
    int64_t *x = ARENA_ARRAY(arena, int64_t, all[0].count + 1);
    *out = (Aligned){.x = x, .series_count = count};
    out->values = ARENA_ARRAY(arena, double *, count);
    for (size_t r = 0; r < count; r++)
        out->values[r] = ARENA_ARRAY(arena, double, all[0].count + 1);
    intersect(all, count, shift, x, out);
}

// How far the losses of common steps are apart, of which there must be some; else infinite.
static double losses_apart(const Series *golden, const Series *other, int64_t shift, Arena *arena)
{
    enum { STEPS_LEAST = 8 };
    const Series *both[] = {golden, other};
    Aligned pair;
    align_series(both, 2, true, shift, arena, &pair);
    double *apart = ARENA_ARRAY(arena, double, pair.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < pair.count; i++)
        if (isfinite(pair.values[0][i]) && isfinite(pair.values[1][i]))
            apart[count++] = fabs(pair.values[1][i] - pair.values[0][i]);
    return count < STEPS_LEAST ? INFINITY : median_of(apart, count);
}

// Whether the losses fit at this shift far better, by this factor, than one printed step before and
// behind it. With a smaller one two runs that only resemble each other are moved; with a larger one
// runs that differ a little are compared a step apart.
enum { FITS_BETTER = 4 };

static bool fits_at(const Series *golden, const Series *other, int64_t shift)
{
    Arena *scratch = arena_new();
    int64_t gap = series_spacing(golden, scratch);
    double before = losses_apart(golden, other, shift - gap, scratch);
    double behind = losses_apart(golden, other, shift + gap, scratch);
    double least = fmin(before, behind);
    bool fits =
        isfinite(least) && FITS_BETTER * losses_apart(golden, other, shift, scratch) < least;
    arena_release(scratch);
    return fits;
}

static void move_steps(Run *run, int64_t by, Arena *arena)
{
    for (size_t i = 0; i < run->series_count; i++) {
        Series *series = &run->series[i];
        PointColumns points = point_columns(arena, series->count);
        for (size_t k = 0; k < series->count; k++)
            point_put(points, k, (Point){series->points.x[k] + by, series->points.value[k]});
        int64_t *absent = ARENA_ARRAY(arena, int64_t, series->absent_count + 1);
        for (size_t k = 0; k < series->absent_count; k++)
            absent[k] = series->absent[k] + by;
        series->points = points;
        series->absent = absent;
    }
    Points times = {0};
    for (size_t i = 0; i < run->times.count; i++)
        points_push(arena, &times, (Point){run->times.items.x[i] + by, run->times.items.value[i]});
    run->times = times;
    for (size_t i = 0; i < run->events.count; i++)
        run->events.items[i].step += by;
    for (size_t i = 0; i < run->norms.count; i++)
        run->norms.items[i].step += by;
}

// How far the losses are apart record by record, where `ahead` of `steps` are passed over.
static double records_apart(const Series *steps, const Series *own, size_t ahead, size_t behind,
                            Arena *arena)
{
    enum { RECORDS_LEAST = 8 };
    double *apart = ARENA_ARRAY(arena, double, own->count + 1);
    size_t count = 0;
    for (size_t i = 0; i + ahead < steps->count && i + behind < own->count; i++) {
        double difference = steps->points.value[i + ahead] - own->points.value[i + behind];
        if (isfinite(difference))
            apart[count++] = fabs(difference);
    }
    return count < RECORDS_LEAST ? INFINITY : median_of(apart, count);
}

// Whether the losses fit record by record, and neither by their numbers nor a record apart.
static bool fits_in_order(const Series *steps, const Series *own)
{
    Arena *scratch = arena_new();
    double least =
        fmin(records_apart(steps, own, 1, 0, scratch), records_apart(steps, own, 0, 1, scratch));
    least = fmin(least, losses_apart(steps, own, 0, scratch));
    double apart = records_apart(steps, own, 0, 0, scratch);
    arena_release(scratch);
    return isfinite(least) && FITS_BETTER * apart < least;
}

// The step of a record by its number; behind the last one at the usual distance.
static int64_t step_of_number(const Series *steps, const Series *own, int64_t number,
                              int64_t spacing)
{
    size_t at;
    FIND_FIRST(at, own->count, own->points.x[at] <= number);
    at = at ? at - 1 : 0;
    size_t last = steps->count - 1, known = at < last ? at : last;
    return steps->points.x[known] + (int64_t)(at - known) * spacing;
}

// Gives the records of a run that carry no step those of another one's records, and tells it.
static void take_steps(Run *run, const Run *from, Arena *arena, Notices *notices)
{
    const Series *steps = run_series(from, "loss"), *loss = run_series(run, "loss");
    if (!steps || !loss || !run->is_numbered || from->is_numbered || !fits_in_order(steps, loss))
        return;
    int64_t spacing = series_spacing(steps, arena);
    Series own = *loss;
    for (size_t i = 0; i < run->series_count; i++) {
        Series *series = &run->series[i];
        PointColumns points = point_columns(arena, series->count);
        size_t count = 0;
        for (size_t k = 0; k < series->count; k++) {
            int64_t x = step_of_number(steps, &own, series->points.x[k], spacing);
            if (count == 0 || points.x[count - 1] < x)
                point_put(points, count++, (Point){x, series->points.value[k]});
        }
        series->points = points;
        series->count = count;
        int64_t *absent = ARENA_ARRAY(arena, int64_t, series->absent_count + 1);
        for (size_t k = 0; k < series->absent_count; k++)
            absent[k] = step_of_number(steps, &own, series->absent[k], spacing);
        series->absent = absent;
    }
    for (size_t i = 0; i < run->times.count; i++)
        run->times.items.x[i] = step_of_number(steps, &own, run->times.items.x[i], spacing);
    for (size_t i = 0; i < run->events.count; i++)
        run->events.items[i].step = step_of_number(steps, &own, run->events.items[i].step, spacing);
    run->is_numbered = false;
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                tr("by their losses its records are those of " STR_FMT
                   " in their order, whose steps they are given"),
                STR_ARG(from->name));
}

// Golden's records get their steps from the first run that has some which fit.
static const Run *number_golden(Runs *runs, Arena *arena, Notices *notices)
{
    Run *golden = NULL;
    for (size_t i = 0; i < runs->count && !golden; i++)
        golden = runs->items[i].role == ROLE_GOLDEN_RUN ? &runs->items[i] : NULL;
    for (size_t i = 0; golden && i < runs->count; i++)
        take_steps(golden, &runs->items[i], arena, notices);
    for (size_t i = 0; golden && i < runs->count; i++)
        take_steps(&runs->items[i], golden, arena, notices);
    return golden;
}

void align_first_steps(Runs *runs, Arena *arena, Notices *notices)
{
    const Run *first = number_golden(runs, arena, notices);
    const Series *golden = first ? run_series(first, "loss") : NULL;
    for (size_t i = 0; golden && golden->count && i < runs->count; i++) {
        Run *run = &runs->items[i];
        const Series *own = run_series(run, "loss");
        int64_t by = own && own->count ? golden->points.x[0] - own->points.x[0] : 0;
        if ((by != 1 && by != -1) || !fits_at(golden, own, by))
            continue;
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                    tr("it counts from %lld, golden from %lld: its losses are those of golden's "
                       "steps, which they are given"),
                    (long long)own->points.x[0], (long long)golden->points.x[0]);
        move_steps(run, by, arena);
    }
}
