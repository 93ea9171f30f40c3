// SPDX-License-Identifier: Apache-2.0
#include "report/compare/rank_metrics.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/judge/floor.h"
#include "picture/kit/heatmap.h"
#include "picture/kit/page.h"
#include "read/dump/op_name.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"
#include "verdict/verdict_text.h"

// A map has at most so many rows; modules past it share the last one.
enum { MODULES_MAX = HEAT_ROWS_MAX, COLUMN_GAP = 12 };

// Ratios past the scale are drawn at its ends.
#define SCALE_END 0.61

// From where on a rank stands out, against the median rank: the end of the scale.
#define STANDS_OUT (4 - 1e-9)  // less what a product of printed digits may lose

static Str cell_at(const RankMetrics *metrics, size_t rank, size_t name, size_t metric)
{
    return metrics->cells[(rank * metrics->name_count + name) * metrics->metric_count + metric];
}

double rank_metrics_number(Str cell)
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

// How far a value is from agreement: a cosine from 1, NaN infinitely, anything else from 0; NaN
// where there is no number.
static double distance(const RankMetrics *metrics, size_t rank, size_t name, size_t metric)
{
    Str cell = cell_at(metrics, rank, name, metric);
    double number = rank_metrics_number(cell);
    if (is_nan(cell))
        return (double)INFINITY;
    return strcmp(metrics->metrics[metric], "Cosine") == 0 ? fabs(1 - number) : fabs(number);
}

bool rank_metrics_is_number(const RankMetrics *metrics, size_t metric)
{
    return strcmp(metrics->metrics[metric], "Requires_grad Consistent") != 0;
}

// The metric that says most of a module: the relative error of the norm, else the first.
static size_t main_metric(const RankMetrics *metrics)
{
    for (size_t i = 0; i < metrics->metric_count; i++)
        if (strcmp(metrics->metrics[i], "NormRelativeErr") == 0)
            return i;
    return 0;
}

RankLargest rank_metrics_largest_of(const RankMetrics *metrics, size_t metric, size_t rank)
{
    RankLargest out = {.value = (double)NAN, .rank = rank};
    for (size_t name = 0; name < metrics->name_count; name++) {
        double value = distance(metrics, rank, name, metric);
        if (isnan(value) || value <= out.value)
            continue;
        out.value = value;
        out.name = name;
    }
    return out;
}

// The median of the finite values; NaN: none. `room` holds as many.
static double usual(const double *values, size_t count, double *room)
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

// What of a metric stands out: the rank with the largest value, where that is past the scale of the
// heat maps against the median rank, and how many ranks are.
typedef struct Outlier {
    size_t metric, count;  // 0: none
    RankLargest largest;
    double median;
} Outlier;

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
// units of the numbers there is none; beside a median of 0 the relative metric decides.
static double noise_of(const RankMetrics *metrics, size_t metric, double median)
{
    if (is_relative(metrics, metric))
        return floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32);
    return median > 0 || !is_relative(metrics, main_metric(metrics)) ? 0 : (double)INFINITY;
}

static Outlier outlier_of(const RankMetrics *metrics, size_t metric, double *values, double *room)
{
    Outlier out = {.metric = metric, .largest = {.value = (double)NAN}};
    for (size_t rank = 0; rank < metrics->rank_count; rank++) {
        RankLargest here = rank_metrics_largest_of(metrics, metric, rank);
        values[rank] = here.value;
        if (!isnan(here.value) && !(here.value <= out.largest.value))
            out.largest = here;
    }
    out.median = usual(values, metrics->rank_count, room);
    double noise = noise_of(metrics, metric, out.median);
    for (size_t rank = 0; rank < metrics->rank_count; rank++)
        out.count += isinf(values[rank]) ||
                     (values[rank] > noise && values[rank] >= out.median * STANDS_OUT);
    return out;
}

// The main metric before the others.
static Outlier find_outlier(const RankMetrics *metrics, Arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, metrics->rank_count + 1);
    double *room = ARENA_ARRAY(arena, double, metrics->rank_count + 1);
    Outlier main = outlier_of(metrics, main_metric(metrics), values, room), out = main;
    for (size_t i = 0; i < metrics->metric_count && out.count == 0; i++)
        if (rank_metrics_is_number(metrics, i))
            out = outlier_of(metrics, i, values, room);
    return out.count ? out : main;
}

static Str extent_text(const RankMetrics *metrics, Arena *arena)
{
    size_t numbers = 0;
    for (size_t i = 0; i < metrics->metric_count; i++)
        numbers += rank_metrics_is_number(metrics, i);
    Str count = figure_count(metrics->name_count, arena);
    Str rows = str_printf(arena, tr_count(metrics->name_count, STR_FMT " row", STR_FMT " rows"),
                          STR_ARG(count));
    Str reports = str_printf(arena, tr_count(metrics->rank_count, "%zu report", "%zu reports"),
                             metrics->rank_count);
    Str columns = str_printf(arena, tr_count(numbers, "%zu metric", "%zu metrics"), numbers);
    return str_printf(arena, tr(STR_FMT ", " STR_FMT ", " STR_FMT), STR_ARG(reports), STR_ARG(rows),
                      STR_ARG(columns));
}

// As the table has it where it is no finite number.
static Str largest_text(const RankMetrics *metrics, size_t metric, const RankLargest *largest,
                        Arena *arena)
{
    return isinf(largest->value) ? cell_at(metrics, largest->rank, largest->name, metric)
                                 : verdict_number(largest->value, arena);
}

// "STANDS OUT  rank2: largest …, the median rank has 0.15"
static void say_outlier(const RankMetrics *metrics, const Outlier *outlier, Str extent,
                        Arena *arena, Verdict *out)
{
    const RankLargest *largest = &outlier->largest;
    Str value = largest_text(metrics, outlier->metric, largest, arena);
    Str median = verdict_number(outlier->median, arena);
    out->word = str_of(tr("STANDS OUT"));
    out->style = STYLE_WARNING;
    out->place = metrics->ranks[largest->rank];
    if (outlier->count > 1)
        out->place =
            str_printf(arena, tr(STR_FMT " and %zu more"), STR_ARG(out->place), outlier->count - 1);
    Str name = metrics->names[largest->name];
    if (isnan(outlier->median))
        out->reason = str_printf(arena, tr("%s " STR_FMT " at " STR_FMT ", no rank is finite."),
                                 metrics->metrics[outlier->metric], STR_ARG(value), STR_ARG(name));
    else
        out->reason = str_printf(
            arena, tr("%s " STR_FMT " at " STR_FMT ", the median rank has at most " STR_FMT "."),
            metrics->metrics[outlier->metric], STR_ARG(value), STR_ARG(name), STR_ARG(median));
    out->context = extent;
    Str rest = str_printf(arena, tr(STR_FMT ": " STR_FMT " " STR_FMT "."), STR_ARG(out->place),
                          STR_ARG(out->reason), STR_ARG(extent));
    out->sentence = verdict_sentence(out, rest, arena);
}

void rank_metrics_verdict(const RankMetrics *metrics, bool partial, Arena *arena, Verdict *out)
{
    Str extent = extent_text(metrics, arena);
    Outlier outlier = find_outlier(metrics, arena);
    const RankLargest *worst = &outlier.largest;
    *out = (Verdict){.partial = partial, .style = STYLE_PLAIN, .joint = STR(" ")};
    if (outlier.count) {
        say_outlier(metrics, &outlier, extent, arena, out);
        return;
    }
    bool several = metrics->rank_count > 1 && !isnan(worst->value);
    out->word = str_of(several ? tr("ALIKE") : tr("MERGED"));
    out->reason = str_printf(arena, tr(STR_FMT "."), STR_ARG(extent));
    if (!isnan(worst->value)) {
        Str value = verdict_number(worst->value, arena);
        out->reason =
            str_printf(arena, tr(STR_FMT "; largest %s " STR_FMT " in " STR_FMT " at " STR_FMT "."),
                       STR_ARG(extent), metrics->metrics[outlier.metric], STR_ARG(value),
                       STR_ARG(metrics->ranks[worst->rank]), STR_ARG(metrics->names[worst->name]));
    }
    out->sentence = verdict_sentence(out, out->reason, arena);
}

// ---- tables

static Cell value_cell(Str text)
{
    double number;
    if (text.size == 0)
        return (Cell){.kind = CELL_EMPTY};
    return number_of_text(text, &number) && isfinite(number) ? cell_number_as(number, text)
                                                             : cell_text(text);
}

static void metric_columns(Row *row)
{
    const RankMetrics *metrics = row->view;
    const size_t *metric = row->of, *name = row->item;
    ROW_COLUMN(row, STR("NPU Name"), 56, false, cell_text(metrics->names[*name]));
    for (size_t rank = 0; rank < metrics->rank_count; rank++)
        ROW_COLUMN(row, metrics->ranks[rank], 18, true,
                   value_cell(cell_at(metrics, rank, *name, *metric)));
}

Table *rank_metrics_table(const RankMetrics *metrics, size_t metric, Arena *arena)
{
    Table *table = columns_table("", metric_columns, metrics, arena);
    table->name = str_of(metrics->metrics[metric]);  // that of the column, in every language
    for (size_t name = 0; name < metrics->name_count; name++)
        columns_add_of(table, &metric, &name);
    return table;
}

static Cell largest_cell(const RankMetrics *metrics, size_t metric, size_t rank, Arena *arena)
{
    RankLargest largest = rank_metrics_largest_of(metrics, metric, rank);
    Cell cell = isinf(largest.value) ? cell_text(largest_text(metrics, metric, &largest, arena))
                                     : cell_error(largest.value, arena);
    return isnan(largest.value) ? cell : cell_titled(cell, metrics->names[largest.name]);
}

static void largest_columns(Row *row)
{
    const RankMetrics *metrics = row->view;
    const size_t *metric = row->item;
    TEXT(row, TR("largest value of"), 28, cell_text(str_of(metrics->metrics[*metric])));
    for (size_t rank = 0; rank < metrics->rank_count; rank++)
        ROW_COLUMN(row, metrics->ranks[rank], 18, true,
                   largest_cell(metrics, *metric, rank, row->arena));
}

Table *rank_metrics_largest(const RankMetrics *metrics, Arena *arena)
{
    Table *table = columns_table(TR("Largest"), largest_columns, metrics, arena);
    for (size_t metric = 0; metric < metrics->metric_count; metric++)
        if (rank_metrics_is_number(metrics, metric))
            columns_add(table, &metric);
    return table;
}

// ---- heat maps

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

// Values of one map: rows by ranks, the largest distance of each; NaN: none.
typedef struct Grid {
    HeatRow *rows;
    double *values;
    size_t row_count;
} Grid;

static void take(double *into, double value)
{
    if (!isnan(value) && !(value <= *into))
        *into = value;
}

static void fill_metrics(const RankMetrics *metrics, Grid *out)
{
    for (size_t metric = 0; metric < metrics->metric_count; metric++) {
        if (!rank_metrics_is_number(metrics, metric))
            continue;
        Str name = str_of(metrics->metrics[metric]);
        out->rows[out->row_count] = (HeatRow){.label = name, .title = name};
        for (size_t rank = 0; rank < metrics->rank_count; rank++)
            take(&out->values[out->row_count * metrics->rank_count + rank],
                 rank_metrics_largest_of(metrics, metric, rank).value);
        out->row_count++;
    }
}

static void fill_modules(const RankMetrics *metrics, Arena *arena, Grid *out)
{
    Names *modules = names_new(arena);
    size_t metric = main_metric(metrics);
    for (size_t name = 0; name < metrics->name_count; name++) {
        NameId id = names_add(modules, module_of(metrics->names[name]));
        size_t row = id > MODULES_MAX ? MODULES_MAX - 1 : id - 1;
        if (row == out->row_count) {
            Str label = names_text(modules, id);
            out->rows[out->row_count++] = (HeatRow){.label = label, .title = label};
        }
        for (size_t rank = 0; rank < metrics->rank_count; rank++)
            take(&out->values[row * metrics->rank_count + rank],
                 distance(metrics, rank, name, metric));
    }
    if (names_count(modules) > MODULES_MAX)
        out->rows[MODULES_MAX - 1].label = str_of(tr("all others"));
}

static double heat_of(double value, double median)
{
    if (isnan(value))
        return heat_absent();
    if (isinf(value))
        return heat_infinity();
    if (value == median || isnan(median))
        return 0;
    if (value == 0 || median == 0)
        return value == 0 ? -SCALE_END : SCALE_END;
    double ratio = log10(value / median);
    return ratio > SCALE_END ? SCALE_END : ratio < -SCALE_END ? -SCALE_END : ratio;
}

bool rank_metrics_draw(const RankMetrics *metrics, bool modules, Arena *arena, Scene *out)
{
    size_t ranks = metrics->rank_count, room = RANK_METRICS_MAX + MODULES_MAX;
    Grid grid = {.rows = ARENA_ARRAY(arena, HeatRow, room),
                 .values = ARENA_ARRAY(arena, double, room *ranks)};
    for (size_t i = 0; i < room * ranks; i++)
        grid.values[i] = (double)NAN;
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
        double median = usual(grid.values + row * ranks, ranks, sorted);
        for (size_t i = row * ranks; i < (row + 1) * ranks; i++)
            grid.values[i] = heat_of(grid.values[i], median);
    }
    const char *metric = metrics->metrics[main_metric(metrics)];
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
                   .scale_title = str_of(tr("value / median rank")),
                   .absent_text = str_of(tr("no value")),
                   .absent_row = str_of(tr("no value"))};
    scene_init(out, arena, modules ? "rank-modules" : "rank-metrics", PAGE_WIDTH);
    heatmap_draw(out, &map);
    return true;
}

// ---- reports

void rank_metrics_page(const RankMetrics *metrics, bool ticket, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, &metrics->verdict);
    for (int i = 0; i < 2; i++) {
        if (!metrics->figures[i].scene)
            continue;
        report_heading(out, 2, i == 0 ? "metrics" : "modules",
                       str_of(i == 0 ? tr("Metrics and ranks") : tr("Modules and ranks")), STR(""));
        report_figure(out, metrics->figures[i].scene, metrics->figures[i].file, STR(""));
    }
    report_heading(out, 2, "largest", str_of(tr("Largest values")), STR(""));
    report_table(out, rank_metrics_largest(metrics, arena));
    section_problems(out, "problems", tr("Problems with the input"), metrics->notices);
    if (ticket)
        section_code(out, tr("To repeat"), metrics->command);
    report_footer(out, str_printf(arena,
                                  tr("Every value of every row is in the workbook, a sheet a "
                                     "metric. vernier %s."),
                                  metrics->version));
    if (metrics->title.size)
        out->title = metrics->title;
}
