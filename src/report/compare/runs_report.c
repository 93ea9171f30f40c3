// SPDX-License-Identifier: Apache-2.0
#include "report/compare/runs_report.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/judge.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "verdict/figure_text.h"
#include "verdict/runs_born.h"

enum { COMMAND_NOISES = 8 };

// ---- tables

static bool is_common(const RunsView *report, const RunFacts *run)
{
    return report->common != SIZE_MAX && run == &report->runs[report->common];
}

static Str equal_text(const RunsView *report, const RunFacts *run, Arena *arena)
{
    if (run->failed)
        return str_of(tr("not readable"));
    if (is_common(report, run))
        return str_of(tr("the most common"));
    if (!run->first.leaves)
        return str_of(tr("identical"));
    for (const RunFacts *other = report->runs; other < run; other++)
        if (!other->failed && other->group == run->group)
            return str_printf(arena, tr("like " STR_FMT), STR_ARG(other->label));
    return str_of(tr("parts"));
}

static bool has_stages(const RunsView *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].first.stage.size)
            return true;
    return false;
}

static bool any_beyond(const RunsView *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].beyond.leaves)
            return true;
    return false;
}

static void run_columns(Row *row)
{
    const RunsView *report = row->view;
    const RunFacts *run = row->item;
    Arena *arena = row->arena;
    TEXT(row, TR("run"), 28,
         cell_titled(cell_styled(is_common(report, run) ? STYLE_STRONG : STYLE_PLAIN, run->label),
                     run->path));
    TEXT(row, TR("content"), 16, cell_text(equal_text(report, run, arena)));
    TEXT(row, TR("status"), 12, cell_status(run->failed ? STATUS_NO_DATA : run->status, false));
    NUMBER(row, TR("differing ops"), 10, cell_count_or_dot(run->differing, arena));
    if (row->cells && !run->first.leaves)
        return;
    NUMBER(row, TR("step"), 8, cell_int(run->first.step, arena));
    if (has_stages(report))
        TEXT(row, TR("stage"), 22, cell_text(run->first.stage));
    NUMBER(row, TR("rank"), 8, cell_int(run->first.rank, arena));
    TEXT(row, TR("leaves first at"), 52, cell_code(run->first.op));
    TEXT(row, TR("module"), 28, cell_code(run->first.module));
    TEXT(row, TR("slot"), 14, cell_text(run->first.slot));
    NUMBER(row, TR("relative error, in"), 12,
           cell_error(run->first.inputs_same ? -1 : run->first.error_in, arena));
    NUMBER(row, TR("relative error, out"), 12, cell_error(run->first.error_out, arena));
    if (any_beyond(report))
        TEXT(row, TR("beyond tolerance first at"), 52, cell_code(run->beyond.op));
}

Table *runs_table(const RunsView *report, Arena *arena)
{
    return COLUMNS_TABLE(TR("Runs"), run_columns, report, report->runs, report->count, arena);
}

static void born_columns(Row *row)
{
    const RunsView *report = row->view;
    const BornPlace *place = row->item;
    TEXT(row, TR("first in"), 36, cell_code(place->name));
    NUMBER(row, TR("runs"), 8, cell_count(place->runs, row->arena));
    NUMBER(row, TR("of"), 8, cell_count(report->count, row->arena));
    TEXT(row, TR("for example at"), 52, cell_code(place->op));
    NUMBER(row, TR("largest error"), 14, cell_error(place->largest, row->arena));
    TEXT(row, TR("which"), 40, cell_text(place->labels));
}

// Where the runs diverge first, and how many there.
static Table *table_of_born(const RunsView *report, Arena *arena)
{
    BornPlaces born;
    runs_born(report, arena, &born);
    return COLUMNS_TABLE(TR("Born"), born_columns, report, born.items, born.count, arena);
}

static bool layer_varies(const RunsView *report, size_t layer)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].layers && report->runs[i].layers[layer].leaves)
            return true;
    return false;
}

static Cell layer_cell(const RunFacts *run, size_t layer, Arena *arena)
{
    const RunLayer *it = run->layers ? &run->layers[layer] : NULL;
    if (run->failed)
        return NO_CELL;
    return it && it->leaves ? cell_in(cell_error(it->error, arena),
                                      style_of_status(it->status, run_layer_inherits(it)))
                            : cell_text(STR("="));
}

static void layer_columns(Row *row)
{
    const RunsView *report = row->view;
    const size_t *layer = row->item;
    TEXT(row, TR("layer"), 32, cell_code(report->layers[*layer]));
    for (size_t i = 0; i < report->count; i++)
        ROW_COLUMN(row, report->runs[i].label, 12, true,
                   layer_cell(&report->runs[i], *layer, row->arena));
}

Table *runs_table_of_layers(const RunsView *report, Arena *arena)
{
    Table *table = columns_table(TR("Layers"), layer_columns, report, arena);
    for (size_t layer = 0; layer < report->layer_count; layer++)
        if (layer_varies(report, layer))
            columns_add(table, &layer);
    return table;
}

// ---- reports

static Str noise_command(const RunsView *report, Arena *arena)
{
    StrBuf text;
    size_t count = 0;
    text = strbuf_new(arena);
    strbuf_printf(&text, "vernier compare " STR_FMT " TARGET",
                  STR_ARG(report->runs[report->common].path));
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].first.leaves && count++ < COMMAND_NOISES)
            strbuf_printf(&text, " --noise " STR_FMT, STR_ARG(report->runs[i].path));
    return strbuf_str(&text);
}

// How the spread serves other comparisons.
static void add_noise(const RunsView *report, Arena *arena, Report *out)
{
    RunsTally tally = runs_tally(report);
    if (tally.read < 2)
        return;
    report_heading(out, 2, "noise", str_of(tr("As the noise of other comparisons")), (Str){"", 0});
    if (tally.parting == 0) {
        report_text(out, str_of(tr("The configuration repeats to the bit: it has no noise, and any "
                                   "difference of a run of it is a finding.")));
        return;
    }
    report_text(out, str_of(tr("The runs that part show how far this configuration is from itself. "
                               "Given as noise runs, their spread is the floor of each slot, and a "
                               "target is judged by it (docs/noise.md).")));
    report_code(out, noise_command(report, arena));
}

static Str footer_text(const RunsView *report, Arena *arena)
{
    return str_printf(
        arena,
        tr("Runs are the same where every op, slot and statistic is equal to the bit. "
           "The most common run is that of the largest group; of equal groups the one "
           "whose ops are shared most, then the first given. Statuses say what the "
           "default tolerances make of a difference. vernier %s."),
        report->version);
}

static void add_body(const RunsView *report, Arena *arena, Report *out)
{
    if (report->figure.scene) {
        report_heading(out, 2, "matrix", str_of(tr("Runs and layers")), (Str){"", 0});
        report_figure(out, report->figure.scene, report->figure.file, (Str){"", 0});
    }
    section_table(out, "born", tr("Where it starts"), table_of_born(report, arena));
    section_table(out, "runs", tr("Runs"), runs_table(report, arena));
}

void runs_page_build(const RunsView *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, &report->verdict);
    add_body(report, arena, out);
    section_table(out, "layers", tr("Largest error by layer"), runs_table_of_layers(report, arena));
    section_problems(out, "problems", tr("Problems with the input"), report->notices);
    add_noise(report, arena, out);
    report_footer(out, footer_text(report, arena));
    if (report->title.size)
        out->title = report->title;
}

void runs_ticket_build(const RunsView *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, &report->verdict);
    add_body(report, arena, out);
    section_problems(out, "", tr("Problems with the input"), report->notices);
    add_noise(report, arena, out);
    section_code(out, tr("To repeat"), report->command);
    report_footer(out, footer_text(report, arena));
}
