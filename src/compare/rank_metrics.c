// SPDX-License-Identifier: Apache-2.0
// Distances of many row tables, and which rank stands out.
#include "compare/rank_metrics.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "compare/judge/floor.h"

#define STANDS_OUT (4 - 1e-9)  // less what a product of printed digits may lose

Str rank_metrics_cell(const RankMetrics *metrics, size_t rank, size_t name, size_t metric)
{
    size_t low = metrics->first[name], high = metrics->first[name + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (metrics->rows[middle].rank == rank)
            return metrics->rows[middle].cells[metric];
        if (metrics->rows[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return STR("");
}

// NaN where it is none.
static double cell_number(Str cell)
{
    double number;
    Str digits = str_ends(cell, STR("%")) ? str_slice(cell, 0, cell.size - 1) : cell;
    if (cell.size == 0 || !number_of_text(digits, &number))
        return (double)NAN;
    return digits.size < cell.size ? number / 100 : number;
}

static bool is_nan_word(Str text)
{
    double number;
    Str word = str_ends(text, STR("%")) ? str_slice(text, 0, text.size - 1) : text;
    return number_of_text(word, &number) && isnan(number);
}

// "nan", or the largest values of both sides of which one is: "NPU:nan  Bench:2".
static bool is_nan(Str cell)
{
    const Str sides[] = {STR("NPU:"), STR("Bench:")};
    Str rest = cell, word;
    bool found = is_nan_word(cell);
    while (!found && str_starts(cell, sides[0]) && str_split(&rest, ' ', &word))
        for (int i = 0; i < 2; i++)
            found = found || (str_starts(word, sides[i]) &&
                              is_nan_word(str_slice(word, sides[i].size, word.size)));
    return found;
}

// Of agreement they have 1.
static bool is_share(const char *metric)
{
    return strcmp(metric, "Cosine") == 0 || strstr(metric, "Err Ratio");
}

bool rank_metrics_distance(const RankMetrics *metrics, Str cell, size_t metric, double *out)
{
    double number = cell_number(cell);
    *out = is_share(metrics->metrics[metric]) ? fabs(1 - number) : fabs(number);
    return !isnan(number) || is_nan(cell);
}

bool rank_metrics_exceeds(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

bool rank_metrics_is_number(const RankMetrics *metrics, size_t metric)
{
    return strcmp(metrics->metrics[metric], "Requires_grad Consistent") != 0;
}

size_t rank_metrics_main(const RankMetrics *metrics)
{
    for (size_t i = 0; i < metrics->metric_count; i++)
        if (strcmp(metrics->metrics[i], "NormRelativeErr") == 0)
            return i;
    return 0;
}

RankLargest rank_metrics_largest(const RankMetrics *metrics, size_t metric, size_t rank)
{
    return metrics->largest[metric * metrics->rank_count + rank];
}

static void take_larger(RankLargest *into, RankLargest here)
{
    if (here.any && (!into->any || rank_metrics_exceeds(here.value, into->value)))
        *into = here;
}

static void measure_row(RankMetrics *metrics, size_t name, const RankRow *row)
{
    for (size_t metric = 0; metric < metrics->metric_count; metric++) {
        RankLargest here = {.rank = row->rank, .name = name};
        here.any = rank_metrics_distance(metrics, row->cells[metric], metric, &here.value);
        take_larger(&metrics->largest[metric * metrics->rank_count + row->rank], here);
    }
}

void rank_metrics_measure(RankMetrics *metrics, Arena *arena)
{
    size_t count = metrics->metric_count * metrics->rank_count;
    metrics->largest = ARENA_ARRAY(arena, RankLargest, count);
    for (size_t i = 0; i < count; i++)
        metrics->largest[i] = (RankLargest){.rank = i % metrics->rank_count};
    for (size_t name = 0; name < metrics->name_count; name++)
        for (size_t i = metrics->first[name]; i < metrics->first[name + 1]; i++)
            measure_row(metrics, name, &metrics->rows[i]);
}

size_t rank_metrics_silent(const RankMetrics *metrics, size_t *first)
{
    size_t silent = 0;
    for (size_t rank = metrics->rank_count; rank-- > 0;) {
        bool numbers = false, any = false;
        for (size_t i = 0; i < metrics->metric_count; i++) {
            bool number = rank_metrics_is_number(metrics, i);
            numbers = numbers || number;
            any = any || (number && rank_metrics_largest(metrics, i, rank).any);
        }
        if (any || !numbers)
            continue;
        silent++;
        *first = rank;
    }
    return silent;
}

double rank_metrics_median(const double *values, size_t count, double *room)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            room[found++] = values[i];
    if (found == 0)
        return (double)NAN;
    sort_doubles(room, found);
    return room[(found - 1) / 2];
}

// Not in the units of the numbers.
static bool is_relative(const RankMetrics *metrics, size_t metric)
{
    static const char *const marks[] = {"RelativeErr", "Cosine", "Ratio"};
    bool found = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        found = found || strstr(metrics->metrics[metric], marks[i]);
    return found;
}

// Up to where a value is noise, whatever the median: the default floor of a float32 norm. In the
// units of the numbers there is none; next to a median of 0 the relative metric decides.
static double noise_of(const RankMetrics *metrics, size_t metric, double median)
{
    if (is_relative(metrics, metric))
        return floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32);
    return median > 0 || !is_relative(metrics, rank_metrics_main(metrics)) ? 0 : (double)INFINITY;
}

static RankOutlier outlier_of(const RankMetrics *metrics, size_t metric, double *values,
                              double *room)
{
    RankOutlier out = {.metric = metric};
    for (size_t rank = 0; rank < metrics->rank_count; rank++) {
        RankLargest here = rank_metrics_largest(metrics, metric, rank);
        values[rank] = here.any ? here.value : (double)NAN;
        take_larger(&out.largest, here);
    }
    out.median = rank_metrics_median(values, metrics->rank_count, room);
    double noise = noise_of(metrics, metric, out.median);
    for (size_t rank = 0; rank < metrics->rank_count; rank++) {
        RankLargest here = rank_metrics_largest(metrics, metric, rank);
        out.count += here.any && (!isfinite(here.value) ||
                                  (here.value > noise && here.value >= out.median * STANDS_OUT));
    }
    return out;
}

// Some ranks have NaN and others have not.
static bool parts_by_nan(const RankMetrics *metrics, size_t metric)
{
    size_t found = 0;
    for (size_t rank = 0; rank < metrics->rank_count; rank++) {
        RankLargest here = rank_metrics_largest(metrics, metric, rank);
        found += here.any && isnan(here.value);
    }
    return rank_metrics_is_number(metrics, metric) && found > 0 && found < metrics->rank_count;
}

RankOutlier rank_metrics_outlier(const RankMetrics *metrics, Arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, metrics->rank_count + 1);
    double *room = ARENA_ARRAY(arena, double, metrics->rank_count + 1);
    size_t first = rank_metrics_main(metrics);
    for (size_t i = 0; i < metrics->metric_count && !parts_by_nan(metrics, first); i++)
        if (parts_by_nan(metrics, i))
            first = i;
    RankOutlier main = outlier_of(metrics, first, values, room), out = main;
    for (size_t i = 0; i < metrics->metric_count && out.count == 0; i++)
        if (rank_metrics_is_number(metrics, i))
            out = outlier_of(metrics, i, values, room);
    return out.count ? out : main;
}
