// SPDX-License-Identifier: Apache-2.0
#include "layout/advise_page.h"

#include <math.h>

#include "base/words.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/head_table.h"

static Cell share_cell(size_t part, size_t whole, Arena *arena)
{
    return percent_cell(whole ? (double)part / (double)whole : 0, arena);
}

Table *skip_table(const SkipView *view, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Threshold"),          12, true },
        {TR("Count"),              8,  true },
        {TR("Skipped"),            10, true },
        {TR("Share of the steps"), 14, true },
        {TR("Longest row"),        12, true },
        {TR("Spikes caught"),      14, true },
        {TR("The run ends"),       20, false},
    };
    static const uint64_t counts[] = {2, 3, 5, 10};
    double thresholds[12];
    size_t threshold_count = skip_candidates(&view->advice, thresholds);
    const Series *norm = run_series(view->run, "grad_norm");
    Table *table = HEAD_TABLE(TR("Thresholds"), heads, arena);
    for (size_t i = 0; i < threshold_count; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            SkipResult result;
            skip_simulate(norm, thresholds[i], counts[k], &view->advice.spikes, arena, &result);
            bool chosen =
                thresholds[i] == view->result.threshold && counts[k] == view->result.count;
            Cell *row = table_add_row(table);
            row[0] = number_cell(thresholds[i], arena);
            row[1] = step_cell((int64_t)counts[k], arena);
            row[2] = step_cell((int64_t)result.skipped_count, arena);
            row[3] = share_cell(result.skipped_count, norm->count, arena);
            row[4] = step_cell((int64_t)result.longest_row, arena);
            row[5] = step_cell((int64_t)result.caught, arena);
            row[6] = result.aborts
                         ? cell_styled(STYLE_ERROR, str_printf(arena, tr("at step %lld"),
                                                               (long long)result.abort_at))
                         : cell_styled(chosen ? STYLE_STRONG : STYLE_MUTED, str_of(tr("no")));
        }
    return table;
}

Table *health_table(const HealthReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Checkpoint"),             48, false},
        {TR("Step"),                   10, true },
        {TR("Health"),                 14, false},
        {TR("Largest embedding norm"), 16, true },
        {TR("Rank"),                   8,  true },
    };
    Table *table = HEAD_TABLE(TR("Checkpoints"), heads, arena);
    for (size_t i = report->count; i > 0; i--) {
        const HealthMark *mark = &report->marks[i - 1];
        bool healthy = mark->checkpoint->healthy;
        bool newest = mark->checkpoint == report->newest_healthy;
        Cell *row = table_add_row(table);
        row[0] = cell_styled(newest ? STYLE_STRONG : STYLE_CODE, mark->checkpoint->name);
        if (mark->has_step)
            row[1] = step_cell(mark->step, arena);
        row[2] = healthy ? cell_styled(STYLE_PASS, str_of(tr("healthy")))
                         : cell_styled(STYLE_ERROR, str_of(tr("unhealthy")));
        if (!isnan(mark->value)) {
            row[3] = number_cell(mark->value, arena);
            row[4] = step_cell(mark->rank, arena);
        }
    }
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

static void end(const Notices *notices, Arena *arena, Report *out)
{
    Table *problems = table_of_problems(notices, arena);
    if (!problems)
        return;
    report_heading(out, 2, "problems", str_of(tr("Problems while reading")), STR(""));
    report_table(out, problems);
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
                         ". The threshold lies between."),
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
    end(notices, arena, out);
}

void health_page_build(const HealthReport *health, const Verdict *verdict, const Scene *picture,
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
    end(notices, arena, out);
}
