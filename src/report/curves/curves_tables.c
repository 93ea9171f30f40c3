// SPDX-License-Identifier: Apache-2.0
#include "report/curves/curves_tables.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "report/curves/decision_table.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/curves_verdict.h"
#include "verdict/figure_text.h"

static CellStyle style_of_role(RunRole role)
{
    switch (role) {
    case ROLE_GOLDEN_RUN:
        return STYLE_GOLDEN;
    case ROLE_TARGET_RUN:
        return STYLE_TARGET;
    default:
        return STYLE_PLAIN;
    }
}

static Cell run_cell(const Run *run)
{
    return cell_styled(style_of_role(run->role), run->name);
}

static Str role_word(RunRole role)
{
    static const char *const words[] = {
        [ROLE_SINGLE] = TR("single"),
        [ROLE_GOLDEN_RUN] = TR("golden"),
        [ROLE_TARGET_RUN] = TR("target"),
        [ROLE_NOISE_RUN] = TR("noise run"),
    };
    return str_of(tr(words[role]));
}

static const Series *loss_of(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return loss && loss->count ? loss : NULL;
}

// The series that tells the first and the last step.
static const Series *shown_of(const Run *run)
{
    const Series *shown = loss_of(run);
    for (size_t i = 0; i < run->series_count && !shown; i++)
        shown = run->series[i].count ? &run->series[i] : NULL;
    return shown;
}

static Point last_point(const Series *series)
{
    return point_at(series->points, series->count - 1);
}

static Str files_text(const Run *run, Arena *arena)
{
    StrBuf files = strbuf_new(arena);
    for (size_t i = 0; i < run->file_count && i < 8; i++)
        strbuf_printf(&files, "%s%s", i ? ", " : "", run->files[i]);
    if (run->file_count > 8)
        strbuf_printf(&files, ", …");
    return strbuf_str(&files);
}

static void run_columns(Row *row)
{
    const Run *run = row->item;
    const Series *loss = row->cells ? loss_of(run) : NULL;
    const Series *shown = row->cells ? shown_of(run) : NULL;
    Arena *arena = row->arena;
    TEXT(row, TR("Run"), 24, run_cell(run));
    TEXT(row, TR("Role"), 12, cell_text(role_word(run->role)));
    TEXT(row, TR("Format"), 14, cell_text(str_of(run->format)));
    NUMBER(row, TR("First step"), 10, shown ? cell_step(shown->points.x[0], arena) : NO_CELL);
    NUMBER(row, TR("Last step"), 10, shown ? cell_step(last_point(shown).x, arena) : NO_CELL);
    NUMBER(row, TR("Loss points"), 10, loss ? cell_count(loss->count, arena) : NO_CELL);
    NUMBER(row, TR("Last loss"), 12, loss ? cell_figure(last_point(loss).value, arena) : NO_CELL);
    NUMBER(row, TR("Decimals"), 9, loss ? cell_int(loss->decimals, arena) : NO_CELL);
    NUMBER(row, TR("Skips"), 8, cell_count(run_event_count(run, EVENT_SKIP), arena));
    NUMBER(row, TR("Restarts"), 9, cell_count(run_event_count(run, EVENT_RESTART), arena));
    TEXT(row, TR("Files"), 60, cell_code(files_text(run, arena)));
}

Table *curves_table_runs(const CurveFindings *report, Arena *arena)
{
    return COLUMNS_TABLE(TR("Runs"), run_columns, NULL, report->runs->items, report->runs->count,
                         arena);
}

static CellStyle style_of_comparison(const CurveComparison *comparison)
{
    if (comparison->beyond)
        return STYLE_ERROR;
    switch (comparison->finding) {
    case FINDING_WITHIN:
        return comparison->stats.max_abs == 0 ? STYLE_SAME : STYLE_PASS;
    case FINDING_BORDERLINE:
    case FINDING_OUTSIDE:
    case FINDING_OFFSET:
    case FINDING_DIVERGING:
        return STYLE_WARNING;
    case FINDING_CANNOT_TELL:
        break;
    }
    return STYLE_PLAIN;
}

static Str finding_word(const CurveComparison *comparison)
{
    static const char *const words[] = {
        [FINDING_WITHIN] = TR("within noise"), [FINDING_BORDERLINE] = TR("borderline"),
        [FINDING_OUTSIDE] = TR("outside"),     [FINDING_OFFSET] = TR("stable offset"),
        [FINDING_DIVERGING] = TR("diverging"), [FINDING_CANNOT_TELL] = TR("cannot tell"),
    };
    return str_of(tr(words[comparison->finding]));
}

// The noise runs against golden, which are rows of the report itself, have no finding.
static void difference_columns(Row *row)
{
    const CurveComparison *it = row->item;
    Arena *arena = row->arena;
    bool noise = row->of;
    TEXT(row, TR("Finding"), 16,
         noise ? cell_styled(STYLE_MUTED, str_of(tr("the noise itself")))
               : cell_styled(style_of_comparison(it), finding_word(it)));
    TEXT(row, TR("Series"), 16, cell_text(it->series));
    TEXT(row, TR("Target"), 22, run_cell(it->target));
    NUMBER(row, TR("Points"), 9, cell_count(it->stats.points, arena));
    NUMBER(row, TR("Mean relative"), 13, cell_percent(it->stats.mean_relative, arena));
    NUMBER(row, TR("Mean magnitude"), 16, cell_figure(it->stats.mae, arena));
    NUMBER(row, TR("Root mean square"), 16, cell_figure(sqrt(it->stats.mse), arena));
    NUMBER(row, TR("Largest"), 11, cell_figure(it->stats.max_abs, arena));
    NUMBER(row, TR("At step"), 10, cell_step(it->stats.max_at, arena));
    NUMBER(row, TR("Signed mean"), 12, cell_figure(it->stats.signed_mean, arena));
    NUMBER(row, TR("Above golden"), 12, cell_percent(it->stats.positive_share, arena));
    NUMBER(row, TR("Last 20 %"), 11, cell_figure(it->phases[PHASE_COUNT - 1].signed_mean, arena));
    bool band = row->cells && it->has_band && !noise;
    NUMBER(row, TR("Inside 3 sigma"), 13,
           band ? cell_percent(it->band.inside_3_sigma_share, arena) : NO_CELL);
    NUMBER(row, TR("Rms / noise"), 11, band ? cell_figure(it->band.rms_ratio, arena) : NO_CELL);
    NUMBER(row, TR("Shift"), 7, noise ? NO_CELL : cell_int(it->step_shift, arena));
}

Table *curves_table_differences(const CurveFindings *report, Arena *arena)
{
    Table *table = columns_table(TR("Differences"), difference_columns, NULL, arena);
    for (size_t i = 0; i < report->noise_count; i++)
        columns_add_of(table, report, &report->noise[i]);
    for (size_t i = 0; i < report->count; i++)
        columns_add(table, &report->items[i]);
    table->note = str_of(tr("target minus golden; golden is the trusted run"));
    return table;
}

static void phase_columns(Row *row)
{
    static const char *const names[PHASE_COUNT] = {TR("first 10 %"), TR("middle"), TR("last 20 %")};
    const CurveComparison *comparison = row->of;
    const DifferenceStats *stats = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("Target"), 22, cell_styled(STYLE_TARGET, comparison->target->name));
    TEXT(row, TR("Part of the run"), 16, cell_word(names[stats - comparison->phases]));
    NUMBER(row, TR("Points"), 9, cell_count(stats->points, arena));
    NUMBER(row, TR("Mean relative"), 13, cell_percent(stats->mean_relative, arena));
    NUMBER(row, TR("Signed mean"), 12, cell_figure(stats->signed_mean, arena));
    NUMBER(row, TR("Largest"), 11, cell_figure(stats->max_abs, arena));
    NUMBER(row, TR("At step"), 10, cell_step(stats->max_at, arena));
    NUMBER(row, TR("Above golden"), 12, cell_percent(stats->positive_share, arena));
    NUMBER(row, TR("Median"), 11, cell_figure(stats->median_abs, arena));
    NUMBER(row, TR("95 %"), 11, cell_figure(stats->p95_abs, arena));
    NUMBER(row, TR("99 %"), 11, cell_figure(stats->p99_abs, arena));
}

Table *curves_table_phases(const CurveFindings *report, Arena *arena)
{
    Table *table = columns_table(TR("Parts of the run"), phase_columns, NULL, arena);
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *it = &report->items[i];
        for (int p = 0; p < PHASE_COUNT && str_equal(it->series, STR("loss")); p++)
            if (it->phases[p].points)
                columns_add_of(table, it, &it->phases[p]);
    }
    return table;
}

static Str return_text(const Spike *spike, Arena *arena)
{
    if (spike->level_shift)
        return str_of(tr("a new level"));
    if (isnan(spike->returned_after))
        return str_of(tr("the run ends"));
    if (isinf(spike->returned_after))
        return str_of(tr("not within 200 steps"));
    return str_printf(arena, tr("after %.0f steps"), spike->returned_after);
}

static const Run *run_of_series(const Runs *runs, const Series *series)
{
    for (size_t i = 0; i < runs->count; i++)
        if (series >= runs->items[i].series &&
            series < runs->items[i].series + runs->items[i].series_count)
            return &runs->items[i];
    return NULL;
}

static void spike_columns(Row *row)
{
    const Series *series = row->of;
    const Spike *spike = row->item;
    TEXT(row, TR("Run"), 24, run_cell(run_of_series(row->view, series)));
    TEXT(row, TR("Series"), 16, cell_text(series->name));
    NUMBER(row, TR("From step"), 10, cell_step(spike->start, row->arena));
    NUMBER(row, TR("Peak"), 10, cell_step(spike->peak, row->arena));
    NUMBER(row, TR("To step"), 10, cell_step(spike->end, row->arena));
    NUMBER(row, TR("Value"), 12, cell_figure(spike->value, row->arena));
    NUMBER(row, TR("Times its neighbourhood"), 14, cell_figure(spike->ratio, row->arena));
    TEXT(row, TR("Returned"), 20, cell_text(return_text(spike, row->arena)));
}

Table *curves_table_spikes(const CurveFindings *report, Arena *arena)
{
    Table *table = columns_table(TR("Spikes"), spike_columns, report->runs, arena);
    for (size_t i = 0; i < report->spikes_count; i++) {
        const RunSpikes *found = &report->spikes[i];
        bool known = found->spikes.count && run_of_series(report->runs, found->series) != NULL;
        for (size_t k = 0; known && k < found->spikes.count; k++)
            columns_add_of(table, found->series, &found->spikes.items[k]);
    }
    return table->row_count ? table : NULL;
}

static void event_columns(Row *row)
{
    const Event *it = row->item;
    TEXT(row, TR("Run"), 24, run_cell(row->of));
    NUMBER(row, TR("Step"), 10, cell_step(it->step, row->arena));
    TEXT(row, TR("Event"), 18, cell_text(str_of(curves_event_word(it->kind))));
    NUMBER(row, TR("Rank"), 7, it->rank >= 0 ? cell_step(it->rank, row->arena) : NO_CELL);
    NUMBER(row, TR("Count"), 8, cell_count(it->count, row->arena));
    TEXT(row, TR("What the file says"), 70, cell_code(it->text));
}

Table *curves_table_events(const CurveFindings *report, Arena *arena)
{
    Table *table = columns_table(TR("Events"), event_columns, NULL, arena);
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        for (size_t k = 0; k < run->events.count; k++)
            columns_add_of(table, run, &run->events.items[k]);
    }
    return table->row_count ? table : NULL;
}

static Cell norm_status(const NormPair *pair)
{
    if (pair->problem)
        return cell_styled(STYLE_ERROR, str_of(tr("problem")));
    return pair->flagged ? cell_styled(STYLE_WARNING, str_of(tr("look")))
                         : cell_styled(STYLE_PASS, str_of(tr("fine")));
}

static void norm_columns(Row *row)
{
    const NormPair *pair = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("Target weight"), 44, cell_code(pair->target));
    TEXT(row, TR("Golden weight"), 44, cell_code(pair->golden));
    NUMBER(row, TR("Elements"), 12, pair->elements ? cell_count(pair->elements, arena) : NO_CELL);
    NUMBER(row, TR("Target norm"), 12, cell_figure(pair->target_norm, arena));
    NUMBER(row, TR("Golden norm"), 12, cell_figure(pair->golden_norm, arena));
    NUMBER(row, TR("Difference"), 12, cell_figure(pair->target_norm - pair->golden_norm, arena));
    NUMBER(row, TR("Relative"), 11, cell_percent(pair->relative_error, arena));
    NUMBER(row, TR("Share of the square sum"), 12, cell_percent(pair->share, arena));
    TEXT(row, TR("Status"), 12, norm_status(pair));
}

Table *curves_table_norms(const CurveFindings *report, Arena *arena)
{
    return report->has_norms ? COLUMNS_TABLE(TR("Local norms"), norm_columns, NULL,
                                             report->norms.items, report->norms.count, arena)
                             : NULL;
}

// ---- Where to look (docs/spec/curves.md §5.3)

static const CurveComparison *first_loss(const CurveFindings *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (str_equal(report->items[i].series, STR("loss")))
            return &report->items[i];
    return NULL;
}

// Beyond both limits of step 1, and beyond what the digits can tell.
static Judged judge_step(const CurveComparison *loss, double difference, size_t index)
{
    if (isnan(difference))
        return JUDGED_UNKNOWN;
    double relative = loss->limits->step_one_relative * fabs(loss->pair.values[0][index]);
    double limit = fmax(relative, loss->limits->step_one);
    limit = limit < 2 * loss->resolution ? 2 * loss->resolution : limit;
    return fabs(difference) > limit ? JUDGED_OFF : JUDGED_FINE;
}

static Judged judge_norms(const CurveFindings *report)
{
    if (!report->has_norms)
        return JUDGED_UNKNOWN;
    for (size_t i = 0; i < report->norms.count; i++)
        if (report->norms.items[i].problem)
            return JUDGED_OFF;
    return JUDGED_FINE;
}

Table *curves_table_decisions(const CurveFindings *report, Arena *arena)
{
    const CurveComparison *loss = first_loss(report);
    if (!loss || loss->pair.count < 2 || loss->pair.x[0] > 1)
        return NULL;
    const Judged found[] = {judge_step(loss, loss->step_one, 0), judge_norms(report),
                            judge_step(loss, loss->step_two, 1)};
    Table *table = decision_table(found, arena);
    if (!table)
        return NULL;
    Str first = figure_number(loss->step_one, 3, arena);
    table->note = str_printf(arena, tr("step %lld: target − golden is " STR_FMT),
                             (long long)loss->pair.x[0], STR_ARG(first));
    return table;
}
