// SPDX-License-Identifier: Apache-2.0
// Heat maps of many row tables.
#include "picture/overview/rank_metrics_picture.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/number.h"
#include "base/words.h"
#include "picture/kit/heatmap.h"
#include "picture/kit/page.h"
#include "read/dump/op_name.h"

// A map has at most so many rows; modules past it share the last one.
enum { MODULES_MAX = HEAT_ROWS_MAX };

// "blocks.2" of "Module.blocks.2.attn.Linear.forward.0.output.0", "Functional.linear" of an API.
static Str module_of(Str name)
{
    static const char *const ends[] = {".forward", ".backward", ".parameters_grad"};
    size_t end = name.size;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && end == name.size; i++) {
        size_t at = str_find(name, str_of(ends[i]), 0);
        end = at == SIZE_MAX ? end : at + strlen(ends[i]);
    }
    OpName parts = op_name_parse(str_slice(name, 0, end));
    Str path = parts.path.size ? parts.path : parts.stem, rest = path, part;
    uint64_t number;
    for (size_t at = 0; str_split(&rest, '.', &part); at += part.size + 1)
        if (at && str_to_uint64(part, &number))
            return str_slice(path, 0, at + part.size);
    return path;
}

// Values of one map: rows by ranks, the largest distance of each; heat_absent: none.
typedef struct Distances {
    HeatRow *rows;
    double *values;
    size_t row_count;
} Distances;

static void take(double *into, double value)
{
    if (heat_kind(*into) == HEAT_NOTHING || rank_metrics_exceeds(value, *into))
        *into = isnan(value) ? heat_nan() : value;
}

static void fill_metrics(const RankMetrics *metrics, Distances *out)
{
    for (size_t metric = 0; metric < metrics->metric_count; metric++) {
        if (!rank_metrics_is_number(metrics, metric))
            continue;
        Str name = str_of(metrics->metrics[metric]);
        out->rows[out->row_count] = (HeatRow){.label = name, .title = name};
        for (size_t rank = 0; rank < metrics->rank_count; rank++) {
            RankLargest largest = rank_metrics_largest(metrics, metric, rank);
            if (largest.any)
                take(&out->values[out->row_count * metrics->rank_count + rank], largest.value);
        }
        out->row_count++;
    }
}

static bool is_zero_row(const double *values, size_t count)
{
    size_t zeros = 0;
    while (zeros < count && heat_kind(values[zeros]) != HEAT_NOTHING && values[zeros] == 0)
        zeros++;
    return zeros == count;
}

// Modules without any difference, of which there are several next to others, become one row.
static void fold_zeros(const RankMetrics *metrics, Arena *arena, Distances *out)
{
    size_t ranks = metrics->rank_count, zeros = 0, kept = 0;
    for (size_t i = 0; i < out->row_count; i++)
        zeros += is_zero_row(&out->values[i * ranks], ranks);
    if (zeros < 2 || zeros == out->row_count)
        return;
    for (size_t i = 0; i < out->row_count; i++) {
        if (is_zero_row(&out->values[i * ranks], ranks))
            continue;
        out->rows[kept] = out->rows[i];
        memmove(&out->values[kept++ * ranks], &out->values[i * ranks], ranks * sizeof(double));
    }
    Str label = str_printf(arena, tr("%zu modules without a difference"), zeros);
    out->rows[kept] = (HeatRow){.label = label, .title = label};
    for (size_t i = 0; i < ranks; i++)
        out->values[kept * ranks + i] = 0;
    out->row_count = kept + 1;
}

static void fill_modules(const RankMetrics *metrics, Arena *arena, Distances *out)
{
    Names *modules = names_new(arena);
    size_t metric = rank_metrics_main(metrics);
    for (size_t name = 0; name < metrics->name_count; name++) {
        NameId id = names_add(modules, module_of(metrics->names[name]));
        size_t row = id > MODULES_MAX ? MODULES_MAX - 1 : id - 1;
        if (row == out->row_count) {
            Str label = names_text(modules, id);
            out->rows[out->row_count++] = (HeatRow){.label = label, .title = label};
        }
        for (size_t i = metrics->first[name]; i < metrics->first[name + 1]; i++) {
            double value;
            if (rank_metrics_distance(metrics, metrics->rows[i].cells[metric], metric, &value))
                take(&out->values[row * metrics->rank_count + metrics->rows[i].rank], value);
        }
    }
    if (names_count(modules) > MODULES_MAX)
        out->rows[MODULES_MAX - 1].label = str_of(tr("all others"));
    fold_zeros(metrics, arena, out);
}

static double heat_of(double value, double median)
{
    if (isnan(value))
        return value;
    if (isinf(value))
        return heat_infinity();
    if (value == median || isnan(median))
        return 0;
    if (value == 0 || median == 0)
        return value == 0 ? -RANK_METRICS_SCALE_END : RANK_METRICS_SCALE_END;
    double ratio = log10(value / median);
    return ratio > RANK_METRICS_SCALE_END    ? RANK_METRICS_SCALE_END
           : ratio < -RANK_METRICS_SCALE_END ? -RANK_METRICS_SCALE_END
                                             : ratio;
}

// The step of each column, "step5" of "step5 rank0"; NULL where the ranks are of one step.
static const Str *steps_of(const RankMetrics *metrics, Arena *arena)
{
    Str *steps = ARENA_ARRAY(arena, Str, metrics->rank_count);
    for (size_t i = 0; i < metrics->rank_count; i++) {
        size_t space = str_find_char(metrics->ranks[i], ' ', 0);
        if (space == SIZE_MAX)
            return NULL;
        steps[i] = str_slice(metrics->ranks[i], 0, space);
    }
    return steps;
}

bool rank_metrics_picture(const RankMetrics *metrics, bool modules, Arena *arena, Scene *out)
{
    size_t ranks = metrics->rank_count, room = RANK_METRICS_MAX + MODULES_MAX;
    Distances grid = {.rows = ARENA_ARRAY(arena, HeatRow, room),
                      .values = ARENA_ARRAY(arena, double, room *ranks)};
    for (size_t i = 0; i < room * ranks; i++)
        grid.values[i] = heat_absent();
    if (modules)
        fill_modules(metrics, arena, &grid);
    else
        fill_metrics(metrics, &grid);
    if (grid.row_count == 0 || ranks == 0)
        return false;
    double *sorted = ARENA_ARRAY(arena, double, ranks);
    double *numbers = ARENA_ARRAY(arena, double, room *ranks);
    memcpy(numbers, grid.values, room * ranks * sizeof *numbers);
    for (size_t row = 0; row < grid.row_count; row++) {
        double median = rank_metrics_median(grid.values + row * ranks, ranks, sorted);
        for (size_t i = row * ranks; i < (row + 1) * ranks; i++)
            grid.values[i] = heat_of(grid.values[i], median);
    }
    const char *metric = metrics->metrics[rank_metrics_main(metrics)];
    HeatPanel panel = {.title = modules ? str_of(metric) : str_of(tr("all metrics")),
                       .note = str_of(tr("largest value of the rank against the median rank")),
                       .cells = grid.values,
                       .numbers = numbers};
    HeatMap map = {.rows = grid.rows,
                   .row_count = grid.row_count,
                   .panels = &panel,
                   .panel_count = 1,
                   .columns = metrics->numbers,
                   .column_count = ranks,
                   .every_column = true,
                   .column_title = str_of(tr("rank")),
                   .groups = steps_of(metrics, arena),
                   .scale_title = str_of(tr("value / median rank")),
                   .absent_text = str_of(tr("no value")),
                   .absent_row = str_of(tr("no value"))};
    scene_init(out, arena, modules ? "rank-modules" : "rank-metrics", PAGE_WIDTH);
    heatmap_draw(out, &map);
    return true;
}
