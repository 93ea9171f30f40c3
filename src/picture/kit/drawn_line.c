// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/drawn_line.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "trend/curves/smooth.h"
#include "trend/curves/step_align.h"
#include "verdict/figure_text.h"

enum { SMOOTH_LEAST = 60, WINDOW_LEAST = 21 };

size_t drawn_window(size_t count)
{
    size_t window = count / 50 | 1;
    return window < WINDOW_LEAST ? WINDOW_LEAST : window;
}

static bool is_exact(Str name)
{
    return STR_IN(name, "lr", "loss_scale", "eval_loss", "epoch");
}

// Over 1 % of the points: fewer leave the line as rough as the points, more blur what moves.
static double default_window(size_t count)
{
    return (double)(count / 100 < 7 ? 7 : count / 100 | 1);
}

double drawn_weight(double smooth, Str series, size_t count)
{
    if (is_exact(series))
        return 0;
    if (!isnan(smooth))
        return smooth < 0 ? 0 : smooth > 1e9 ? 1e9 : smooth;
    return count >= SMOOTH_LEAST ? default_window(count) : 0;
}

Str drawn_filter_text(double weight, Arena *arena)
{
    char number[NUMBER_BYTES];
    if (weight == 0)
        return STR("");
    if (weight < 1) {
        number_fixed(weight, 9, number);
        return str_printf(arena, tr("debiased EMA %s"), number);
    }
    Str window = figure_count((size_t)weight | 1, arena);
    return str_printf(arena, tr("centred median, then mean, of " STR_FMT), STR_ARG(window));
}

// A mean over a spike is a plateau that never was: the line passes below it. A spike that the
// series ends in may be how the run goes on.
static void hide_spikes(const Spikes *spikes, Points *line)
{
    for (size_t s = 0, i = 0; spikes && s < spikes->count; s++) {
        const Spike *spike = &spikes->items[s];
        bool hidden = !spike->level_shift && !isnan(spike->returned_after);
        while (i < line->count && line->items.x[i] < spike->start)
            i++;
        for (; i < line->count && line->items.x[i] <= spike->end && hidden; i++)
            line->items.value[i] = NAN;
    }
}

static bool is_inside(const DrawnLimits *limits, double value)
{
    return value >= limits->low && value <= limits->high;
}

static void hide_outliers(const DrawnLimits *limits, Points *line)
{
    size_t end = line->count;
    while (end > 0 && !is_inside(limits, line->items.value[end - 1]))
        end--;
    for (size_t i = 0; i < end; i++)
        if (!is_inside(limits, line->items.value[i]) && !point_is_absent(line->items.value[i]))
            line->items.value[i] = NAN;
}

// The first half window again, with windows that grow from an eighth of it.
static void shrink_start(const double *values, size_t count, size_t half, double *out)
{
    double sum = 0;
    size_t finite = 0, taken = 0;
    for (size_t i = 0; i < half && i < count; i++) {
        size_t reach = i > half / 8 ? i : half / 8;
        for (; taken < count && taken <= i + reach; taken++) {
            sum += isfinite(values[taken]) ? values[taken] : 0;
            finite += isfinite(values[taken]) ? 1 : 0;
        }
        out[i] = finite ? sum / (double)finite : NAN;
    }
}

static void mean_stretch(PointColumns points, size_t count, size_t window)
{
    Arena *scratch = arena_new();
    const double *values = points.value;
    size_t finite = 0, start = count < 2 * window ? count : 2 * window;
    double *means = ARENA_ARRAY(scratch, double, count + 1);
    double *early = ARENA_ARRAY(scratch, double, start + 1);
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            means[finite++] = values[i];
    // A median passes spikes by and keeps edges where they are; the mean rounds it.
    running_median(means, finite, window, means);
    for (size_t i = count; i-- > 0;)
        means[i] = isfinite(values[i]) ? means[--finite] : NAN;
    centred_mean(means, count, window, means);
    // Where it begins, windows are short, and so are those of the medians.
    running_median(values, start, window / 8, early);
    shrink_start(early, start, window / 2, means);
    for (size_t i = 0; i < count; i++)
        points.value[i] = isfinite(values[i]) ? means[i] : NAN;
    arena_release(scratch);
}

static void filter_stretch(PointColumns points, size_t count, double weight)
{
    if (weight < 1)
        debiased_average(points, count, weight);
    else
        mean_stretch(points, count, (size_t)weight | 1);
}

int64_t drawn_gap(const Series *series, Arena *arena)
{
    return series->gap ? series->gap : 3 * series_spacing(series, arena);
}

Points drawn_line(const Series *series, const DrawnLimits *limits, double weight, Arena *arena)
{
    size_t count = series->count;
    Points out = {.items = series->points, .count = count};
    if (weight <= 0 || count == 0)
        return out;
    out.items.value = ARENA_ARRAY(arena, double, count);
    memcpy(out.items.value, series->points.value, count * sizeof *out.items.value);
    int64_t gap = drawn_gap(series, arena);
    hide_spikes(limits->spikes, &out);
    hide_outliers(limits, &out);
    for (size_t i = 1, from = 0; i <= count; i++) {
        bool apart = i == count || series->points.x[i] - series->points.x[i - 1] > gap ||
                     point_is_absent(series->points.value[i - 1]);
        if (!apart)
            continue;
        filter_stretch(points_behind(out.items, from), i - from, weight);
        from = i;
    }
    return out;
}
