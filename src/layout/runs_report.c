// SPDX-License-Identifier: Apache-2.0
#include "layout/runs_report.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge.h"
#include "layout/compare_tables.h"
#include "layout/figure_text.h"
#include "layout/runs_born.h"
#include "layout/table_heads.h"
#include "layout/verdict_text.h"

enum { VERDICT_PLACES = 3, COMMAND_NOISES = 8 };

typedef struct Tally {
    size_t read, identical, parting;
    double largest;
    Status status;
} Tally;

static Tally tally_of(const RunsReport *report)
{
    Tally out = {.status = STATUS_SAME, .largest = (double)NAN};
    for (size_t i = 0; i < report->count; i++) {
        const RunFacts *run = &report->runs[i];
        if (run->failed)
            continue;
        out.read++;
        out.identical += !run->first.leaves;
        out.parting += run->first.leaves;
        out.status = status_worst(out.status, run->status);
        for (size_t k = 0; run->layers && k < report->layer_count; k++)
            if (run->layers[k].error >= 0 && !(run->layers[k].error <= out.largest))
                out.largest = run->layers[k].error;
    }
    return out;
}

Status runs_status(const RunsReport *report)
{
    Tally tally = tally_of(report);
    return tally.read < 2 || report->ops == 0 ? STATUS_NO_DATA : tally.status;
}

// "always first in blocks.2.attn", "first in blocks.2.attn (4), head (2)"
static Str born_text(const RunsReport *report, Arena *arena)
{
    BornPlaces born;
    StrBuf text;
    runs_born(report, arena, &born);
    if (born.count == 1)
        return str_printf(arena, tr("always first in " STR_FMT), STR_ARG(born.items[0].name));
    strbuf_init(&text, arena);
    strbuf_printf(&text, "%s", tr("first in "));
    for (size_t i = 0; i < born.count && i < VERDICT_PLACES; i++)
        strbuf_printf(&text, "%s" STR_FMT " (%zu)", i ? ", " : "", STR_ARG(born.items[i].name),
                      born.items[i].runs);
    if (born.count > VERDICT_PLACES)
        strbuf_printf(
            &text,
            tr_count(born.count - VERDICT_PLACES, " and %zu more place", " and %zu more places"),
            born.count - VERDICT_PLACES);
    return strbuf_str(&text);
}

static void set_calm(const RunsReport *report, const Tally *tally, Arena *arena, Verdict *out)
{
    Str ops = figure_count(report->ops, arena);
    out->style = STYLE_SAME;
    out->word = str_of(tr("SAME"));
    out->reason = str_printf(arena, tr("%zu runs, bit for bit: " STR_FMT " ops each."), tally->read,
                             STR_ARG(ops));
}

static void set_varies(const RunsReport *report, const Tally *tally, Arena *arena, Verdict *out)
{
    bool beyond = status_differs(tally->status);
    out->style = beyond ? STYLE_ERROR : STYLE_PASS;
    out->word = str_of(beyond ? tr("VARIES") : tr("AGREES"));
    Str born = born_text(report, arena), largest = verdict_number(tally->largest, arena);
    Str head =
        tally->identical > 1
            ? str_printf(arena, tr("%zu runs: %zu identical, %zu part, " STR_FMT), tally->read,
                         tally->identical, tally->parting, STR_ARG(born))
            : str_printf(arena,
                         tr("%zu runs, none like another: %zu part from " STR_FMT ", " STR_FMT),
                         tally->read, tally->parting, STR_ARG(report->runs[report->common].label),
                         STR_ARG(born));
    out->reason = str_printf(arena, tr(STR_FMT "; largest norm rel. diff " STR_FMT "."),
                             STR_ARG(head), STR_ARG(largest));
}

void runs_verdict(const RunsReport *report, bool partial, Arena *arena, Verdict *out)
{
    Tally tally = tally_of(report);
    *out = (Verdict){.partial = partial, .joint = STR(" ")};
    if (tally.read < 2) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("fewer than two runs could be read."));
    } else if (report->ops == 0) {
        out->style = STYLE_NO_DATA;
        out->word = str_of(tr("NOT COMPARED"));
        out->reason = str_of(tr("the dumps hold no op."));
    } else if (tally.parting == 0) {
        set_calm(report, &tally, arena, out);
    } else {
        set_varies(report, &tally, arena, out);
    }
    out->context = report->dumps == 1 ? str_of(tr("1 dump a run"))
                                      : str_printf(arena, tr("%zu dumps a run"), report->dumps);
    out->sentence = summary_sentence(out, out->reason, arena);
}

// ---- summary.json

static void write_layers(JsonWriter *json, const RunsReport *report, const RunFacts *run)
{
    json_key(json, "layers");
    json_array(json);
    for (size_t i = 0; run->layers && i < report->layer_count; i++) {
        const RunLayer *layer = &run->layers[i];
        if (!layer->leaves)
            continue;
        json_object_flat(json);
        summary_str(json, "name", report->layers[i]);
        summary_str(json, "status", str_of(status_word(layer->status)));
        json_key(json, "first");
        json_bool(json, layer->first);
        summary_number(json, "error", layer->error);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_first(JsonWriter *json, const RunLeave *first)
{
    json_key(json, "first");
    if (!first->leaves) {
        json_null(json);
        return;
    }
    json_object_flat(json);
    summary_int(json, "step", first->step);
    summary_int(json, "rank", first->rank);
    summary_str(json, "op", first->op);
    summary_str(json, "module", first->module);
    summary_str(json, "slot", first->slot);
    summary_int(json, "position", first->position);
    summary_str(json, "status", str_of(status_word(first->status)));
    json_key(json, "inputs_same");
    json_bool(json, first->inputs_same);
    summary_number(json, "error_in", first->error_in < 0 ? 0 : first->error_in);
    summary_number(json, "error_out", first->error_out < 0 ? 0 : first->error_out);
    json_object_end(json);
}

static void write_run(JsonWriter *json, const RunsReport *report, const RunFacts *run)
{
    json_object(json);
    summary_str(json, "path", run->path);
    summary_str(json, "label", run->label);
    summary_str(json, "status", str_of(status_word(run->failed ? STATUS_NO_DATA : run->status)));
    json_key(json, "identical");
    json_bool(json, !run->failed && !run->first.leaves);
    summary_int(json, "group", run->failed ? INT64_MIN : (int64_t)run->group);
    summary_int(json, "differing_ops", (int64_t)run->differing);
    write_first(json, &run->first);
    write_layers(json, report, run);
    json_object_end(json);
}

static void write_born(JsonWriter *json, const RunsReport *report)
{
    Arena *scratch = arena_new();
    BornPlaces born;
    runs_born(report, scratch, &born);
    json_key(json, "born");
    json_array(json);
    for (size_t i = 0; i < born.count; i++) {
        json_object_flat(json);
        summary_str(json, "place", born.items[i].name);
        summary_int(json, "runs", (int64_t)born.items[i].runs);
        summary_str(json, "op", born.items[i].op);
        summary_number(json, "error", born.items[i].largest);
        json_object_end(json);
    }
    json_array_end(json);
    arena_release(scratch);
}

// The arguments with which the spread becomes the noise of another comparison.
static void write_noise(JsonWriter *json, const RunsReport *report)
{
    json_key(json, "noise");
    if (report->common == SIZE_MAX) {
        json_null(json);
        return;
    }
    json_object(json);
    summary_str(json, "golden", report->runs[report->common].path);
    json_key(json, "runs");
    json_array(json);
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].first.leaves)
            json_str(json, report->runs[i].path);
    json_array_end(json);
    summary_number(json, "largest", tally_of(report).largest);
    json_object_end(json);
}

void runs_summary_write(const RunsReport *report, Sink *out)
{
    JsonWriter json;
    Tally tally = tally_of(report);
    SummaryHead head = {.schema = "vernier.runs/1",
                        .version = report->version,
                        .status = status_word(runs_status(report)),
                        .verdict = &report->verdict};
    summary_begin(&json, &head, out);
    json_key(&json, "common");
    if (report->common == SIZE_MAX)
        json_null(&json);
    else
        json_str(&json, report->runs[report->common].path);
    summary_int(&json, "identical", (int64_t)tally.identical);
    summary_int(&json, "parting", (int64_t)tally.parting);
    json_key(&json, "runs");
    json_array(&json);
    for (size_t i = 0; i < report->count; i++)
        write_run(&json, report, &report->runs[i]);
    json_array_end(&json);
    write_born(&json, report);
    write_noise(&json, report);
    summary_end(&json, report->notices);
}

// ---- tables

static Cell error_cell(double error, Arena *arena)
{
    Str shown = figure_error(error, arena);
    return isfinite(error) && error >= 0 ? cell_number_as(error, shown) : cell_text(shown);
}

static Str equal_text(const RunsReport *report, size_t index, Arena *arena)
{
    const RunFacts *run = &report->runs[index];
    if (run->failed)
        return str_of(tr("not readable"));
    if (index == report->common)
        return str_of(tr("the most common"));
    if (!run->first.leaves)
        return str_of(tr("identical"));
    for (size_t i = 0; i < index; i++)
        if (!report->runs[i].failed && report->runs[i].group == run->group)
            return str_printf(arena, tr("like " STR_FMT), STR_ARG(report->runs[i].label));
    return str_of(tr("parts"));
}

Table *runs_table(const RunsReport *report, Arena *arena)
{
    static const TableHead heads[] = {
        {TR("run"),             28, false},
        {TR("content"),         16, false},
        {TR("status"),          12, false},
        {TR("differing ops"),   10, true },
        {TR("step"),            8,  true },
        {TR("rank"),            8,  true },
        {TR("leaves first at"), 52, false},
        {TR("module"),          28, false},
        {TR("slot"),            14, false},
        {TR("in"),              12, true },
        {TR("out"),             12, true }
    };
    Table *table = TABLE_NEW(TR("Runs"), heads, arena);
    for (size_t i = 0; i < report->count; i++) {
        const RunFacts *run = &report->runs[i];
        Status status = run->failed ? STATUS_NO_DATA : run->status;
        Cell *row = table_add_row(table);
        row[0] = cell_styled(i == report->common ? STYLE_STRONG : STYLE_PLAIN, run->label);
        row[0].title = run->path;
        row[1] = cell_text(equal_text(report, i, arena));
        row[2] = cell_styled(style_of_status(status, false), status_shown(status));
        row[3] = cell_number_as((double)run->differing, figure_count_or_dot(run->differing, arena));
        if (!run->first.leaves)
            continue;
        row[4] = cell_number_as((double)run->first.step,
                                str_printf(arena, "%lld", (long long)run->first.step));
        row[5] = cell_number_as((double)run->first.rank,
                                str_printf(arena, "%lld", (long long)run->first.rank));
        row[6] = cell_styled(STYLE_CODE, run->first.op);
        row[7] = cell_styled(STYLE_CODE, run->first.module);
        row[8] = cell_text(run->first.slot);
        row[9] = error_cell(run->first.inputs_same ? -1 : run->first.error_in, arena);
        row[10] = error_cell(run->first.error_out, arena);
    }
    return table;
}

static bool layer_varies(const RunsReport *report, size_t layer)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].layers && report->runs[i].layers[layer].leaves)
            return true;
    return false;
}

Table *runs_table_of_layers(const RunsReport *report, Arena *arena)
{
    Table *table = ARENA_NEW(arena, Table);
    Column *columns = ARENA_ARRAY(arena, Column, report->count + 1);
    columns[0] = (Column){.title = str_of(tr("layer")), .width = 32};
    for (size_t i = 0; i < report->count; i++)
        columns[i + 1] = (Column){.title = report->runs[i].label, .width = 12, .number = true};
    table_init_rows(table, ARENA_NEW(arena, TableRows), tr(TR("Layers")), columns,
                    report->count + 1, arena);
    table->freeze = true;
    for (size_t layer = 0; layer < report->layer_count; layer++) {
        if (!layer_varies(report, layer))
            continue;
        Cell *row = table_add_row(table);
        row[0] = cell_styled(STYLE_CODE, report->layers[layer]);
        for (size_t i = 0; i < report->count; i++) {
            const RunFacts *run = &report->runs[i];
            const RunLayer *cell = run->layers ? &run->layers[layer] : NULL;
            if (run->failed)
                continue;
            row[i + 1] =
                cell && cell->leaves ? error_cell(cell->error, arena) : cell_text(STR("="));
            if (cell && cell->leaves)
                row[i + 1].style = style_of_status(cell->status, !cell->first);
        }
    }
    return table;
}

// ---- reports

static void add_table(Report *out, const char *id, const char *heading, Table *table)
{
    if (!table || table->row_count == 0)
        return;
    report_heading(out, 2, id, str_of(heading), (Str){"", 0});
    report_table(out, table);
}

static Str noise_command(const RunsReport *report, Arena *arena)
{
    StrBuf text;
    size_t count = 0;
    strbuf_init(&text, arena);
    strbuf_printf(&text, "vernier compare " STR_FMT " TARGET",
                  STR_ARG(report->runs[report->common].path));
    for (size_t i = 0; i < report->count; i++)
        if (report->runs[i].first.leaves && count++ < COMMAND_NOISES)
            strbuf_printf(&text, " --noise " STR_FMT, STR_ARG(report->runs[i].path));
    return strbuf_str(&text);
}

// How the spread serves other comparisons.
static void add_noise(const RunsReport *report, Arena *arena, Report *out)
{
    Tally tally = tally_of(report);
    if (tally.read < 2)
        return;
    report_heading(out, 2, "noise", str_of(tr("As the noise of other comparisons")), (Str){"", 0});
    if (tally.parting == 0) {
        report_text(out, str_of(tr("The set-up repeats to the bit: it has no noise, and any "
                                   "difference of a run of it is a finding.")));
        return;
    }
    report_text(out, str_of(tr("The runs that part show how far this set-up is from itself. Given "
                               "as noise runs, their spread is the floor of each slot, and a "
                               "target is judged by it (docs/noise.md).")));
    report_code(out, noise_command(report, arena));
}

static Str footer_text(const RunsReport *report, Arena *arena)
{
    return str_printf(
        arena,
        tr("Runs are the same where every op, slot and statistic is equal to the bit. "
           "The most common run is that of the largest group; of equal groups the one "
           "whose ops are shared most, then the first given. Statuses say what the "
           "default tolerances make of a difference. vernier %s."),
        report->version);
}

static void add_body(const RunsReport *report, Arena *arena, Report *out)
{
    if (report->figure.scene) {
        report_heading(out, 2, "matrix", str_of(tr("Runs and layers")), (Str){"", 0});
        report_figure(out, report->figure.scene, report->figure.file, (Str){"", 0});
    }
    add_table(out, "born", tr("Where it is born"), runs_table_of_born(report, arena));
    add_table(out, "runs", tr("Runs"), runs_table(report, arena));
}

void runs_page_build(const RunsReport *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (report->title.size)
        report_text(out, report->title);
    report_verdict(out, &report->verdict);
    add_body(report, arena, out);
    add_table(out, "layers", tr("Largest error by layer"), runs_table_of_layers(report, arena));
    add_table(out, "problems", tr("Problems with the input"),
              table_of_problems(report->notices, arena));
    add_noise(report, arena, out);
    report_footer(out, footer_text(report, arena));
    if (report->title.size)
        out->title = report->title;
}

void runs_ticket_build(const RunsReport *report, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, &report->verdict);
    add_body(report, arena, out);
    add_table(out, "", tr("Problems with the input"), table_of_problems(report->notices, arena));
    add_noise(report, arena, out);
    if (report->command.size) {
        report_heading(out, 2, "", str_of(tr("To repeat")), (Str){"", 0});
        report_code(out, report->command);
    }
    report_footer(out, footer_text(report, arena));
}
