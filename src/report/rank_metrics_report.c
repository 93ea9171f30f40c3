// SPDX-License-Identifier: Apache-2.0
// Tables and page of many row tables.
#include "report/rank_metrics_report.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"

static Cell value_cell(Str text)
{
    double number;
    if (text.size == 0)
        return (Cell){.kind = CELL_EMPTY};
    return number_of_text(text, &number) && isfinite(number) ? cell_number_as(number, text)
                                                             : cell_text(text);
}

// The sheet of a metric: rows down, ranks across, most of which may have no such row.
typedef struct MetricSheet {
    const RankMetrics *metrics;
    size_t metric, at;  // the next name
} MetricSheet;

static bool next_name(void *state, Cell *cells)
{
    MetricSheet *sheet = state;
    const RankMetrics *metrics = sheet->metrics;
    if (sheet->at == metrics->name_count)
        return false;
    cells[0] = cell_text(metrics->names[sheet->at]);
    for (size_t i = metrics->first[sheet->at]; i < metrics->first[sheet->at + 1]; i++)
        cells[1 + metrics->rows[i].rank] = value_cell(metrics->rows[i].cells[sheet->metric]);
    sheet->at++;
    return true;
}

static void first_name(void *state)
{
    ((MetricSheet *)state)->at = 0;
}

static void metric_columns(Row *row)
{
    const RankMetrics *metrics = row->view;
    row_head(row, STR("NPU Name"), 56, false);
    for (size_t rank = 0; rank < metrics->rank_count; rank++)
        row_head(row, metrics->ranks[rank], 18, true);
}

Table *rank_metrics_table(const RankMetrics *metrics, size_t metric, Arena *arena)
{
    MetricSheet *sheet = ARENA_NEW(arena, MetricSheet);
    Table *table = ARENA_NEW(arena, Table);
    *sheet = (MetricSheet){.metrics = metrics, .metric = metric};
    *table = (Table){.name = str_of(metrics->metrics[metric]),  // the column's, in every language
                     .row_count = metrics->name_count,
                     .freeze = true,
                     .next = next_name,
                     .rewind = first_name,
                     .state = sheet};
    table->columns = columns_heads(metric_columns, metrics, arena, &table->column_count);
    return table;
}

static Cell largest_cell(const RankMetrics *metrics, size_t metric, size_t rank, Arena *arena)
{
    RankLargest largest = rank_metrics_largest(metrics, metric, rank);
    if (!largest.any)
        return cell_error((double)NAN, arena);
    Cell cell = isfinite(largest.value)
                    ? cell_error(largest.value, arena)
                    : cell_text(rank_metrics_largest_text(metrics, metric, &largest, arena));
    return cell_titled(cell, metrics->names[largest.name]);
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

Table *rank_metrics_largest_table(const RankMetrics *metrics, Arena *arena)
{
    Table *table = columns_table(TR("Largest"), largest_columns, metrics, arena);
    for (size_t metric = 0; metric < metrics->metric_count; metric++)
        if (rank_metrics_is_number(metrics, metric))
            columns_add(table, &metric);
    return table;
}

void rank_metrics_report(const RankMetricsView *view, bool ticket, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, &view->verdict);
    for (int i = 0; i < 2; i++) {
        if (!view->figures[i].scene)
            continue;
        report_heading(out, 2, i == 0 ? "metrics" : "modules",
                       str_of(i == 0 ? tr("Metrics and ranks") : tr("Modules and ranks")), STR(""));
        report_figure(out, view->figures[i].scene, view->figures[i].file, STR(""));
    }
    report_heading(out, 2, "largest", str_of(tr("Largest values")), STR(""));
    report_table(out, rank_metrics_largest_table(view->metrics, arena));
    section_problems(out, "problems", tr("Problems with the input"), view->notices);
    if (ticket)
        section_code(out, tr("To repeat"), view->command);
    report_footer(out, str_printf(arena,
                                  tr("Every value of every row is in the workbook, a sheet a "
                                     "metric. vernier %s."),
                                  view->version));
    if (view->title.size)
        out->title = view->title;
}
