// SPDX-License-Identifier: Apache-2.0
#include "report/curves/advise_page.h"

#include <math.h>

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/sections.h"
#include "verdict/figure_text.h"

typedef struct Threshold {
    double threshold;
    uint64_t count;
    SkipResult result;
} Threshold;

static Cell end_cell(const SkipView *view, const Threshold *it, Arena *arena)
{
    bool chosen = it->threshold == view->result.threshold && it->count == view->result.count;
    if (it->result.aborts)
        return cell_styled(STYLE_ERROR,
                           str_printf(arena, tr("at step %lld"), (long long)it->result.abort_at));
    return cell_styled(chosen ? STYLE_STRONG : STYLE_MUTED, str_of(tr("no")));
}

static void threshold_columns(Row *row)
{
    const Series *norm = row->of;
    const Threshold *it = row->item;
    Arena *arena = row->arena;
    NUMBER(row, TR("Threshold"), 12, cell_figure(it->threshold, arena));
    NUMBER(row, TR("Count"), 8, cell_count(it->count, arena));
    NUMBER(row, TR("Skipped"), 10, cell_count(it->result.skipped_count, arena));
    NUMBER(row, TR("Share of the steps"), 14,
           cell_percent(norm->count ? (double)it->result.skipped_count / (double)norm->count : 0,
                        arena));
    NUMBER(row, TR("Longest row"), 12, cell_count(it->result.longest_row, arena));
    NUMBER(row, TR("Spikes caught"), 14, cell_count(it->result.caught, arena));
    TEXT(row, TR("The run ends"), 20, end_cell(row->view, it, arena));
}

Table *skip_table(const SkipView *view, Arena *arena)
{
    static const uint64_t counts[] = {2, 3, 5, 10};
    double thresholds[12];
    size_t threshold_count = skip_candidates(&view->advice, thresholds);
    const Series *norm = run_series(view->run, "grad_norm");
    Table *table = columns_table(TR("Thresholds"), threshold_columns, view, arena);
    for (size_t i = 0; i < threshold_count; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            Threshold it = {.threshold = thresholds[i], .count = counts[k]};
            skip_simulate(norm, it.threshold, it.count, &view->advice.spikes, arena, &it.result);
            columns_add_of(table, norm, &it);
        }
    return table;
}

static void health_columns(Row *row)
{
    const HealthFindings *report = row->view;
    const HealthMark *mark = row->item;
    bool known = row->cells && !isnan(mark->value);
    TEXT(row, TR("Checkpoint"), 48,
         cell_styled(mark->checkpoint == report->newest_healthy ? STYLE_STRONG : STYLE_CODE,
                     mark->checkpoint->name));
    NUMBER(row, TR("Step"), 10, mark->has_step ? cell_step(mark->step, row->arena) : NO_CELL);
    TEXT(row, TR("Health"), 14,
         mark->checkpoint->healthy ? cell_styled(STYLE_PASS, str_of(tr("healthy")))
                                   : cell_styled(STYLE_ERROR, str_of(tr("unhealthy"))));
    NUMBER(row, TR("Largest embedding norm"), 16,
           known ? cell_figure(mark->value, row->arena) : NO_CELL);
    NUMBER(row, TR("Rank"), 8, known ? cell_step(mark->rank, row->arena) : NO_CELL);
}

Table *health_table(const HealthFindings *report, Arena *arena)
{
    Table *table = columns_table(TR("Checkpoints"), health_columns, report, arena);
    for (size_t i = report->count; i > 0; i--)
        columns_add(table, &report->marks[i - 1]);
    return table;
}

static void begin(const Verdict *verdict, const Scene *picture, const char *file, Arena *arena,
                  Report *out)
{
    report_init(out, arena);
    out->title = verdict->sentence;
    report_verdict(out, verdict);
    if (picture)
        report_figure(out, picture, str_of(file), STR(""));
}

static Str basis_text(const SkipAdvice *advice, Arena *arena)
{
    Str normal = figure_number(advice->largest_normal, 3, arena);
    Str safe = figure_number(advice->safe, 3, arena);
    Str robust = figure_number(advice->robust, 3, arena);
    if (advice->spikes.count == 0)
        return str_printf(arena,
                          tr("Largest norm after the warm-up: " STR_FMT "; 1.5 times that: " STR_FMT
                             "; robust limit: " STR_FMT ". There is no spike to learn from."),
                          STR_ARG(normal), STR_ARG(safe), STR_ARG(robust));
    Str spike = figure_number(advice->smallest_spike, 3, arena);
    return str_printf(arena,
                      tr("Largest normal norm after the warm-up: " STR_FMT
                         "; smallest spike: " STR_FMT "; robust limit: " STR_FMT
                         ". The threshold is between."),
                      STR_ARG(normal), STR_ARG(spike), STR_ARG(robust));
}

void skip_page_build(const SkipView *view, const Verdict *verdict, const Scene *picture,
                     const Notices *notices, Arena *arena, Report *out)
{
    begin(verdict, picture, "skip", arena, out);
    report_heading(out, 2, "basis", str_of(tr("What it rests on")), STR(""));
    report_text(out, basis_text(&view->advice, arena));
    if (view->advice.too_short)
        report_text(out, str_of(tr("Fewer than 200 steps after the warm-up: a longer log knows "
                                   "more of the tail.")));
    report_text(out, str_of(tr("A run that did not skip cannot tell how its later norms would have "
                               "changed.")));
    report_heading(out, 2, "yaml", str_of(tr("To paste")), STR(""));
    report_code(out, skip_yaml(&view->result, arena));
    report_heading(out, 2, "thresholds", str_of(tr("Thresholds")), STR(""));
    report_table(out, skip_table(view, arena));
    section_problems(out, "problems", tr("Problems while reading"), notices);
}

void health_page_build(const HealthFindings *health, const Verdict *verdict, const Scene *picture,
                       const Notices *notices, Arena *arena, Report *out)
{
    begin(verdict, picture, "health", arena, out);
    report_heading(out, 2, "checkpoints", str_of(tr("Checkpoints")),
                   str_of(tr("newest first; resume from the newest healthy one")));
    report_table(out, health_table(health, arena));
    double threshold = isnan(health->threshold) ? health->suggested : health->threshold;
    if (!isnan(health->suggested)) {
        Str value = figure_number(health->suggested, 4, arena);
        report_text(out, str_printf(arena,
                                    tr("A threshold from these norms: " STR_FMT
                                       " (median and 8 times the spread)."),
                                    STR_ARG(value)));
    }
    if (!isnan(threshold)) {
        report_heading(out, 2, "yaml", str_of(tr("To paste")), STR(""));
        report_code(out, health_yaml(threshold, arena));
    }
    section_problems(out, "problems", tr("Problems while reading"), notices);
}
