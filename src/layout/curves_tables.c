// SPDX-License-Identifier: Apache-2.0
#include "layout/curves_tables.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "layout/curves_summary.h"
#include "layout/figure_text.h"
#include "layout/head_table.h"

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

static size_t count_events(const Run *run, EventKind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < run->events.count; i++)
        count += run->events.items[i].kind == kind;
    return count;
}

static const Series *first_with_points(const Run *run)
{
    for (size_t i = 0; i < run->series_count; i++)
        if (run->series[i].count)
            return &run->series[i];
    return NULL;
}

Table *curves_table_runs(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Run"),         24, false},
        {TR("Role"),        12, false},
        {TR("Format"),      14, false},
        {TR("First step"),  10, true },
        {TR("Last step"),   10, true },
        {TR("Loss points"), 10, true },
        {TR("Last loss"),   12, true },
        {TR("Decimals"),    9,  true },
        {TR("Skips"),       8,  true },
        {TR("Restarts"),    9,  true },
        {TR("Files"),       60, false},
    };
    Table *table = HEAD_TABLE(TR("Runs"), heads, arena);
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        const Series *loss = run_series(run, "loss");
        const Series *shown = loss && loss->count ? loss : first_with_points(run);
        Cell *row = table_add_row(table);
        row[0] = cell_styled(style_of_role(run->role), run->name);
        row[1] = cell_text(role_word(run->role));
        row[2] = cell_text(str_of(run->format));
        if (shown) {
            row[3] = step_cell(shown->points[0].x, arena);
            row[4] = step_cell(shown->points[shown->count - 1].x, arena);
        }
        if (shown && shown == loss) {
            row[5] = step_cell((int64_t)loss->count, arena);
            row[6] = number_cell(loss->points[loss->count - 1].value, arena);
            row[7] = cell_number(loss->decimals);
            row[7].text = str_printf(arena, "%d", loss->decimals);
        }
        row[8] = step_cell((int64_t)count_events(run, EVENT_SKIP), arena);
        row[9] = step_cell((int64_t)count_events(run, EVENT_RESTART), arena);
        StrBuf files;
        strbuf_init(&files, arena);
        for (size_t k = 0; k < run->file_count && k < 8; k++)
            strbuf_printf(&files, "%s%s", k ? ", " : "", run->files[k]);
        if (run->file_count > 8)
            strbuf_printf(&files, ", …");
        row[10] = cell_styled(STYLE_CODE, strbuf_str(&files));
    }
    return table;
}

static const TableHead difference_heads[] = {
    {TR("Series"),           16, false},
    {TR("Target"),           22, false},
    {TR("Points"),           9,  true },
    {TR("Mean relative"),    13, true },
    {TR("Mean magnitude"),   16, true },
    {TR("Root mean square"), 16, true },
    {TR("Largest"),          11, true },
    {TR("At step"),          10, true },
    {TR("Signed mean"),      12, true },
    {TR("Above golden"),     12, true },
    {TR("Last 20 %"),        11, true },
    {TR("Inside 3 sigma"),   13, true },
    {TR("Rms / noise"),      11, true },
    {TR("Shift"),            7,  true },
    {TR("Finding"),          16, false},
};

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

static Cell *difference_row(Table *table, const CurveComparison *comparison, Arena *arena)
{
    const DifferenceStats *stats = &comparison->stats;
    Cell *row = table_add_row(table);
    row[0] = cell_text(comparison->series);
    row[1] = cell_styled(style_of_role(comparison->target->role), comparison->target->name);
    row[2] = step_cell((int64_t)stats->points, arena);
    row[3] = percent_cell(stats->mean_relative, arena);
    row[4] = number_cell(stats->mae, arena);
    row[5] = number_cell(sqrt(stats->mse), arena);
    row[6] = number_cell(stats->max_abs, arena);
    row[7] = step_cell(stats->max_at, arena);
    row[8] = number_cell(stats->signed_mean, arena);
    row[9] = percent_cell(stats->positive_share, arena);
    row[10] = number_cell(comparison->phases[PHASE_COUNT - 1].signed_mean, arena);
    return row;
}

Table *curves_table_differences(const CurveReport *report, Arena *arena)
{
    Table *table = HEAD_TABLE(TR("Differences"), difference_heads, arena);
    for (size_t i = 0; i < report->noise_count; i++) {
        Cell *row = difference_row(table, &report->noise[i], arena);
        row[14] = cell_styled(STYLE_MUTED, str_of(tr("the noise itself")));
    }
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *comparison = &report->items[i];
        Cell *row = difference_row(table, comparison, arena);
        if (comparison->has_band) {
            row[11] = percent_cell(comparison->band.inside_3_sigma_share, arena);
            row[12] = number_cell(comparison->band.rms_ratio, arena);
        }
        row[13] = cell_number((double)comparison->step_shift);
        row[13].text = str_printf(arena, "%lld", (long long)comparison->step_shift);
        row[14] = cell_styled(style_of_comparison(comparison), finding_word(comparison));
    }
    table->note = str_of(tr("target minus golden; golden is the trusted run"));
    return table;
}

Table *curves_table_phases(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Target"),          22, false},
        {TR("Part of the run"), 16, false},
        {TR("Points"),          9,  true },
        {TR("Mean relative"),   13, true },
        {TR("Signed mean"),     12, true },
        {TR("Largest"),         11, true },
        {TR("At step"),         10, true },
        {TR("Above golden"),    12, true },
        {TR("Median"),          11, true },
        {TR("95 %"),            11, true },
        {TR("99 %"),            11, true },
    };
    static const char *const names[PHASE_COUNT] = {TR("first 10 %"), TR("middle"), TR("last 20 %")};
    Table *table = HEAD_TABLE(TR("Parts of the run"), heads, arena);
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *comparison = &report->items[i];
        if (!str_equal(comparison->series, STR("loss")))
            continue;
        for (int p = 0; p < PHASE_COUNT; p++) {
            const DifferenceStats *stats = &comparison->phases[p];
            if (stats->points == 0)
                continue;
            Cell *row = table_add_row(table);
            row[0] = cell_styled(STYLE_TARGET, comparison->target->name);
            row[1] = cell_text(str_of(tr(names[p])));
            row[2] = step_cell((int64_t)stats->points, arena);
            row[3] = percent_cell(stats->mean_relative, arena);
            row[4] = number_cell(stats->signed_mean, arena);
            row[5] = number_cell(stats->max_abs, arena);
            row[6] = step_cell(stats->max_at, arena);
            row[7] = percent_cell(stats->positive_share, arena);
            row[8] = number_cell(stats->median_abs, arena);
            row[9] = number_cell(stats->p95_abs, arena);
            row[10] = number_cell(stats->p99_abs, arena);
        }
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

Table *curves_table_spikes(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Run"),                     24, false},
        {TR("Series"),                  16, false},
        {TR("From step"),               10, true },
        {TR("Peak"),                    10, true },
        {TR("To step"),                 10, true },
        {TR("Value"),                   12, true },
        {TR("Times its neighbourhood"), 14, true },
        {TR("Returned"),                20, false},
    };
    Table *table = HEAD_TABLE(TR("Spikes"), heads, arena);
    for (size_t i = 0; i < report->spikes_count; i++) {
        const RunSpikes *found = &report->spikes[i];
        const Run *run = run_of_series(report->runs, found->series);
        for (size_t k = 0; run && k < found->spikes.count; k++) {
            const Spike *spike = &found->spikes.items[k];
            Cell *row = table_add_row(table);
            row[0] = cell_styled(style_of_role(run->role), run->name);
            row[1] = cell_text(found->series->name);
            row[2] = step_cell(spike->start, arena);
            row[3] = step_cell(spike->peak, arena);
            row[4] = step_cell(spike->end, arena);
            row[5] = number_cell(spike->value, arena);
            row[6] = number_cell(spike->ratio, arena);
            row[7] = cell_text(return_text(spike, arena));
        }
    }
    return table->row_count ? table : NULL;
}

Table *curves_table_events(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Run"),                24, false},
        {TR("Step"),               10, true },
        {TR("Event"),              18, false},
        {TR("Rank"),               7,  true },
        {TR("Count"),              8,  true },
        {TR("What the file says"), 70, false},
    };
    Table *table = HEAD_TABLE(TR("Events"), heads, arena);
    for (size_t i = 0; i < report->runs->count; i++) {
        const Run *run = &report->runs->items[i];
        for (size_t k = 0; k < run->events.count; k++) {
            const Event *event = &run->events.items[k];
            Cell *row = table_add_row(table);
            row[0] = cell_styled(style_of_role(run->role), run->name);
            row[1] = step_cell(event->step, arena);
            row[2] = cell_text(str_of(curves_event_word(event->kind)));
            if (event->rank >= 0)
                row[3] = step_cell(event->rank, arena);
            row[4] = step_cell((int64_t)event->count, arena);
            row[5] = cell_styled(STYLE_CODE, event->text);
        }
    }
    return table->row_count ? table : NULL;
}

static CellStyle style_of_norm(const NormPair *pair)
{
    return pair->problem ? STYLE_ERROR : pair->flagged ? STYLE_WARNING : STYLE_PASS;
}

Table *curves_table_norms(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Target weight"),           44, false},
        {TR("Golden weight"),           44, false},
        {TR("Elements"),                12, true },
        {TR("Target norm"),             12, true },
        {TR("Golden norm"),             12, true },
        {TR("Difference"),              12, true },
        {TR("Relative"),                11, true },
        {TR("Share of the square sum"), 12, true },
        {TR("Status"),                  12, false},
    };
    static const char *const words[] = {TR("fine"), TR("look"), TR("problem")};
    if (!report->has_norms)
        return NULL;
    Table *table = HEAD_TABLE(TR("Local norms"), heads, arena);
    for (size_t i = 0; i < report->norms.count; i++) {
        const NormPair *pair = &report->norms.items[i];
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_CODE, pair->target);
        row[1] = cell_styled(STYLE_CODE, pair->golden);
        if (pair->elements)
            row[2] = step_cell((int64_t)pair->elements, arena);
        row[3] = number_cell(pair->target_norm, arena);
        row[4] = number_cell(pair->golden_norm, arena);
        row[5] = number_cell(pair->target_norm - pair->golden_norm, arena);
        row[6] = percent_cell(pair->relative_error, arena);
        row[7] = percent_cell(pair->share, arena);
        row[8] =
            cell_styled(style_of_norm(pair), str_of(tr(words[pair->problem ? 2 : pair->flagged])));
    }
    return table;
}

// ---- Where to look (spec/curves.md §5.3)

typedef enum Judged { JUDGED_ANY, JUDGED_FINE, JUDGED_OFF, JUDGED_UNKNOWN } Judged;

typedef struct Decision {
    Judged step_one, norms, step_two;
    const char *look;
} Decision;

static const Decision decisions[] = {
    {JUDGED_OFF,  JUDGED_ANY,     JUDGED_ANY,  TR("forward pass")                   },
    {JUDGED_FINE, JUDGED_OFF,     JUDGED_ANY,  TR("backward pass")                  },
    {JUDGED_FINE, JUDGED_FINE,    JUDGED_OFF,  TR("optimizer")                      },
    {JUDGED_FINE, JUDGED_UNKNOWN, JUDGED_OFF,  TR("backward pass or optimizer")     },
    {JUDGED_FINE, JUDGED_ANY,     JUDGED_FINE, TR("nothing here: train on for long")},
};

static const CurveComparison *first_loss(const CurveReport *report)
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

static Judged judge_norms(const CurveReport *report)
{
    if (!report->has_norms)
        return JUDGED_UNKNOWN;
    for (size_t i = 0; i < report->norms.count; i++)
        if (report->norms.items[i].problem)
            return JUDGED_OFF;
    return JUDGED_FINE;
}

static bool fits(Judged rule, Judged found)
{
    return rule == JUDGED_ANY || rule == found;
}

Table *curves_table_decisions(const CurveReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("Step-1 loss"), 12, false},
        {TR("Local norms"), 12, false},
        {TR("Step-2 loss"), 12, false},
        {TR("Look at"),     34, false},
    };
    static const char *const words[] = {TR("any"), TR("fine"), TR("off"), TR("unknown")};
    const CurveComparison *loss = first_loss(report);
    if (!loss || loss->pair.count < 2 || loss->pair.x[0] > 1)
        return NULL;
    Judged one = judge_step(loss, loss->step_one, 0), two = judge_step(loss, loss->step_two, 1);
    Judged norms = judge_norms(report);
    Table *table = HEAD_TABLE(TR("Where to look"), heads, arena);
    bool marked = false;
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        const Decision *rule = &decisions[i];
        bool here = !marked && fits(rule->step_one, one) && fits(rule->norms, norms) &&
                    fits(rule->step_two, two);
        marked = marked || here;
        CellStyle style = here ? STYLE_STRONG : STYLE_MUTED;
        Cell *row = table_add_row(table);
        row[0] = cell_styled(style, str_of(tr(words[rule->step_one])));
        row[1] = cell_styled(style, str_of(tr(words[rule->norms])));
        row[2] = cell_styled(style, str_of(tr(words[rule->step_two])));
        row[3] = cell_styled(style, str_printf(arena, "%s%s", here ? "→ " : "", tr(rule->look)));
    }
    Str first = figure_number(loss->step_one, 3, arena);
    table->note = str_printf(arena, tr("step %lld: target − golden is " STR_FMT),
                             (long long)loss->pair.x[0], STR_ARG(first));
    return table;
}
