// SPDX-License-Identifier: Apache-2.0
#include "report/curves/curves_page.h"

#include <math.h>

#include "base/words.h"
#include "report/curves/curve_data.h"
#include "report/curves/curves_tables.h"
#include "report/history/history_page.h"
#include "report/kit/sections.h"
#include "verdict/figure_text.h"

enum { TICKET_NORMS = 8 };

static void add_folded(Report *out, const char *summary, Table *table)
{
    if (!table)
        return;
    Str count = figure_count(table->row_count, out->arena);
    section_folded(out, str_printf(out->arena, "%s: " STR_FMT, tr(summary), STR_ARG(count)), table);
}

static Str unit_text(const NormSide *side, Arena *arena)
{
    static const char *const units[] = {
        [UNIT_NORMS] = TR("true norms"),
        [UNIT_SQUARES] = TR("sums of squares"),
        [UNIT_SQUARES_LIKELY] = TR("taken for sums of squares"),
    };
    Str root = figure_number(side->root, 4, arena),
        global = figure_number(side->global_norm, 4, arena);
    return str_printf(arena, tr("%s, root of the sum " STR_FMT ", printed global norm " STR_FMT),
                      tr(units[side->unit]), STR_ARG(root), STR_ARG(global));
}

static void add_norms(const CurvesPage *page, Arena *arena, Report *out)
{
    const NormTable *norms = &page->report->norms;
    if (!page->report->has_norms)
        return;
    Str matched = str_printf(arena,
                             tr_count(norms->count,
                                      "%zu weight paired, %zu only in target, %zu only in golden",
                                      "%zu weights paired, %zu only in target, %zu only in golden"),
                             norms->count, norms->only_target_count, norms->only_golden_count);
    report_heading(out, 2, "local-norms", str_of(tr("Gradient norm of each weight")), matched);
    report_text(out, str_of(localnorm_reading(norms)));
    Str target = unit_text(&norms->target, arena), golden = unit_text(&norms->golden, arena);
    report_text(out, str_printf(arena, tr("Target: " STR_FMT ". Golden: " STR_FMT "."),
                                STR_ARG(target), STR_ARG(golden)));
    if (page->norms)
        report_figure(out, page->norms, STR("local-norms"), STR(""));
}

static Str limits_text(const CurveLimits *limits, Arena *arena)
{
    Str absolute = isfinite(limits->absolute) ? str_printf(arena, "%g", limits->absolute)
                                              : str_printf(arena, tr("%g %% of golden's level"),
                                                           100 * series_absolute_share);
    return str_printf(
        arena,
        tr("Limits: mean relative difference of the loss %g %%, absolute " STR_FMT
           ", step 1 %g or %g %%, "
           "rate 0 %g (loss) and %g (norm). Noise: within 3 sigma at 95 %% of the steps and at "
           "most "
           "1.5 times its root mean square."),
        100 * limits->mean_relative, STR_ARG(absolute), limits->step_one,
        100 * limits->step_one_relative, limits->lr0_loss, limits->lr0_norm);
}

static void begin(const CurvesPage *page, Arena *arena, Report *out)
{
    report_init(out, arena);
    out->title = page->title.size ? page->title : page->verdict->sentence;
    report_verdict(out, page->verdict);
    history_report_news(page->history, arena, out);
    if (page->picture)
        report_figure(out, page->picture, STR("curves"), STR(""));
    if (page->multiples)
        report_figure(out, page->multiples, STR("curves-runs"), STR(""));
}

static void add_footer(const CurvesPage *page, Arena *arena, Report *out)
{
    Str limits = limits_text(page->report->limits, arena);
    report_footer(out, str_printf(arena, STR_FMT " vernier %s.", STR_ARG(limits), page->version));
}

void curves_page_build(const CurvesPage *page, Arena *arena, Report *out)
{
    const CurveFindings *report = page->report;
    begin(page, arena, out);
    if (report->count || report->noise_count) {
        section_table(out, "differences", tr("Differences"),
                      curves_table_differences(report, arena));
        section_table(out, "parts", tr("Parts of the run"), curves_table_phases(report, arena));
        section_table(out, "decisions", tr("Where to look"), curves_table_decisions(report, arena));
    }
    report_index(out, "curve-data", curve_data_text(report, arena));
    add_norms(page, arena, out);
    add_folded(out, TR("All weights"), curves_table_norms(report, arena));
    section_table(out, "runs", tr("Runs"), curves_table_runs(report, arena));
    section_table(out, "spikes", tr("Spikes"), curves_table_spikes(report, arena));
    add_folded(out, TR("Events"), curves_table_events(report, arena));
    history_report_trends(page->history, HISTORY_PAGE_TRENDS, arena, out);
    section_problems(out, "problems", tr("Problems while reading"), page->notices);
    add_footer(page, arena, out);
}

void curves_ticket_build(const CurvesPage *page, Arena *arena, Report *out)
{
    const CurveFindings *report = page->report;
    begin(page, arena, out);
    if (report->count)
        section_table(out, "differences", tr("Differences"),
                      curves_table_differences(report, arena));
    add_norms(page, arena, out);
    Table *norms = curves_table_norms(report, arena);
    if (norms && norms->row_count <= TICKET_NORMS)
        report_table(out, norms);
    section_table(out, "runs", tr("Runs"), curves_table_runs(report, arena));
    history_report_trends(page->history, HISTORY_TICKET_TRENDS, arena, out);
    add_footer(page, arena, out);
}
