// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "base/words.h"
#include "report/curves/decision_table.h"
#include "report/history/history_page.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"
#include "report/kit/prose.h"
#include "report/kit/sections.h"
#include "verdict/study_view.h"

// The page: verdict, ladder, symptom, the chart that closes the case, the author's text, then every
// stage that was done. A figure that the author placed is not shown again.

enum { ROWS_SHOWN = 40, FIGURES_SHOWN = 4, NAMES_SHOWN = 6 };

typedef struct Placing {
    const StudyView *view;
    Arena *arena;
    bool for_text;
    bool *placed[STAGE_COUNT];  // by figure
} Placing;

static Cell stage_status(const StageResult *result)
{
    static const CellStyle styles[] = {STYLE_NO_DATA, STYLE_PASS, STYLE_ERROR};
    return result->unreadable
               ? cell_styled(STYLE_UNMATCHED, str_of(tr("not readable")))
               : cell_styled(styles[result->status], str_of(tr(stage_status_text(result->status))));
}

static void ladder_columns(Row *row)
{
    const StageInfo *info = row->of;
    const StageResult *result = row->item;
    bool done = row->cells && result->status != STAGE_NOT_DONE;
    TEXT(row, TR("Stage"), 26, cell_strong(str_of(tr(info->title))));
    TEXT(row, TR("Result"), 12, stage_status(result));
    TEXT(row, TR("What decided"), 60, cell_text(done ? result->number : result->reason));
    TEXT(row, TR("Rule"), 50, cell_text(result->rule));
    TEXT(row, TR("Source"), 44, cell_styled(STYLE_MUTED, result->source));
    TEXT(row, TR("To collect"), 60,
         done ? NO_CELL
              : cell_text(str_printf(row->arena, "%s: %s", tr(info->needs), info->collect)));
}

Table *study_ladder_table(const StudyView *view, Arena *arena)
{
    Table *table = columns_table(TR("Ladder"), ladder_columns, NULL, arena);
    for (int i = 0; i < STAGE_COUNT; i++)
        columns_add_of(table, &view->stages[i].info, &view->stages[i]);
    return table;
}

typedef struct Input {
    const char *stage;  // TR
    Str setting, value;
} Input;

static void input_columns(Row *row)
{
    const Input *it = row->item;
    TEXT(row, TR("Stage"), 26, cell_word(it->stage));
    TEXT(row, TR("Setting"), 14, cell_code(it->setting));
    TEXT(row, TR("Value"), 80, cell_code(it->value));
}

Table *study_inputs_table(const StudyView *view, Arena *arena)
{
    Table *table = columns_table(TR("Inputs"), input_columns, NULL, arena);
    for (int i = 0; i < STAGE_COUNT; i++) {
        const StudySection *section = &view->plan->sections[i];
        for (size_t k = 0; k < section->count; k++)
            for (size_t n = 0; n < section->items[k].count; n++)
                columns_add(table, &(Input){view->stages[i].info.title, section->items[k].key,
                                            section->items[k].items[n]});
    }
    return table;
}

typedef struct Answer {
    const char *question;  // TR
    Str text;
} Answer;

static void symptom_columns(Row *row)
{
    const Answer *it = row->item;
    TEXT(row, TR("Question"), 20, cell_styled(STYLE_MUTED, str_of(tr(it->question))));
    TEXT(row, TR("Answer"), 90, row->of ? cell_strong(it->text) : cell_text(it->text));
}

static Table *symptom_table(const Symptom *symptom, Arena *arena)
{
    const Answer answers[] = {
        {TR("Symptom"), symptom->name},
        {TR("Evidence"), symptom->evidence},
        {TR("Shows later as well"), symptom->also},
        {TR("Dump next"), symptom->dump},
        {TR("Most likely place"), symptom->place},
        {TR("What that rests on"), symptom->certainty},
    };
    Table *table = columns_table(TR("Symptom"), symptom_columns, NULL, arena);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].text.size)
            columns_add_of(table, i == 0 ? symptom : NULL, &answers[i]);
    return table;
}

static Judged judged_as(StageStatus status)
{
    return status == STAGE_FAILED   ? JUDGED_OFF
           : status == STAGE_PASSED ? JUDGED_FINE
                                    : JUDGED_UNKNOWN;
}

static const Scene *scene_of(const StageFigure *figure)
{
    return figure->on_page ? figure->on_page : figure->picture;
}

static void add_figure(Placing *placing, StudyStage stage, size_t index, Report *report)
{
    const StageFigure *figure = &placing->view->stages[stage].figures[index];
    if (!scene_of(figure))
        return;
    report_figure(report, scene_of(figure), figure->name, figure->caption);
    placing->placed[stage][index] = true;
}

// Says what is not shown, and where it is.
static void add_left_out(const Placing *placing, StudyStage stage, size_t from, Report *report)
{
    StrBuf names;
    size_t left = 0;
    const StageResult *result = &placing->view->stages[stage];
    names = strbuf_new(report->arena);
    for (size_t i = from; i < result->figure_count; i++) {
        if (placing->placed[stage][i] || !scene_of(&result->figures[i]))
            continue;
        if (left++ < NAMES_SHOWN)
            strbuf_printf(&names, "%s" STR_FMT, left > 1 ? ", " : "",
                          STR_ARG(result->figures[i].name));
    }
    if (left == 0)
        return;
    if (left > NAMES_SHOWN)
        strbuf_add(&names, STR(", …"));
    const char *text = str_cstr(report->arena, strbuf_str(&names));
    report_text(
        report,
        placing->view->figure_files
            ? str_printf(report->arena,
                         tr_count(left,
                                  "%zu more figure of this stage is a file next to this page: %s",
                                  "%zu more figures of this stage are files next to this page: %s"),
                         left, text)
            : str_printf(
                  report->arena,
                  tr_count(
                      left,
                      "%zu more figure of this stage is not shown; the command below makes it: %s",
                      "%zu more figures of this stage are not shown; the command "
                      "below makes them: %s"),
                  left, text));
}

// The first ones that the author did not place.
static void add_figures(Placing *placing, StudyStage stage, Report *report)
{
    const StageResult *result = &placing->view->stages[stage];
    size_t shown = 0, i = 0;
    for (; i < result->figure_count && shown < FIGURES_SHOWN; i++) {
        if (placing->placed[stage][i])
            continue;
        add_figure(placing, stage, i, report);
        shown++;
    }
    add_left_out(placing, stage, i, report);
}

static void add_table(Table *table, Report *report)
{
    if (table->row_count)
        report_table(report, table_copy(table, ROWS_SHOWN, report->arena));
}

static bool place_of_stage(Placing *placing, StudyStage stage, Str name, Report *report)
{
    const StageResult *result = &placing->view->stages[stage];
    bool whole = str_equal(name, str_of(study_stage_key(stage)));
    for (size_t i = 0; i < result->figure_count; i++)
        if (whole || str_equal(name, result->figures[i].name)) {
            add_figure(placing, stage, i, report);
            return true;
        }
    for (size_t i = 0; i < result->table_count; i++)
        if (whole || str_equal(name, result->tables[i]->name)) {
            add_table(result->tables[i], report);
            return true;
        }
    return false;
}

static bool place_figure(void *context, Str name, Report *report)
{
    Placing *placing = context;
    const StudyView *view = placing->view;
    if (str_equal(name, STR("ladder"))) {
        report_figure(report, view->ladder_on_page, STR("ladder"), STR(""));
        return true;
    }
    if (str_equal(name, STR("symptom"))) {
        report_table(report, symptom_table(&view->symptom, placing->arena));
        return true;
    }
    for (int i = 0; i < STAGE_COUNT; i++)
        if (place_of_stage(placing, (StudyStage)i, name, report))
            return true;
    return false;
}

// The chart that closes the case: the long run against the noise, else the long run alone.
static void add_closing_chart(Placing *placing, Report *report)
{
    static const StudyStage stages[] = {STAGE_NOISE, STAGE_LONG_RUN};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const StageResult *result = &placing->view->stages[stages[i]];
        if (result->figure_count == 0 || placing->placed[stages[i]][0])
            continue;
        report_heading(report, 2, "closing", str_of(tr("The chart that closes the case")),
                       result->number);
        add_figure(placing, stages[i], 0, report);
        return;
    }
}

// The name of the sheet without that of the stage in front.
static Str own_name(Str name)
{
    size_t blank = str_find_char(name, ' ', 0);
    return blank == SIZE_MAX ? name : str_slice(name, blank + 1, name.size);
}

static void add_tables(const StageResult *result, Report *report)
{
    for (size_t i = 0; i < result->table_count; i++) {
        Table *table = result->tables[i];
        if (table->row_count == 0)
            continue;
        Str name = own_name(table->name);
        char rows[24];
        snprintf(rows, sizeof rows, "%llu", (unsigned long long)table->row_count);
        report_details(
            report, str_printf(report->arena,
                               tr_count(table->row_count, STR_FMT ": %s row", STR_FMT ": %s rows"),
                               STR_ARG(name), rows));
        add_table(table, report);
        report_end(report);
    }
}

static void add_stage(Placing *placing, StudyStage stage, Report *report, Notices *notices)
{
    const StageResult *result = &placing->view->stages[stage];
    const StageInfo *info = &result->info;
    // The ladder says all there is to say of a stage without figures and tables.
    bool bare = result->figure_count == 0 && result->table_count == 0;
    if ((result->status == STAGE_NOT_DONE || bare) && result->note.size == 0)
        return;
    Str number = result->status == STAGE_NOT_DONE ? result->reason : result->number;
    Str heading = str_printf(report->arena, tr("%s: %s"), tr(info->title),
                             tr(stage_status_text(result->status)));
    report_heading(report, 2, study_stage_key(stage), heading, number);
    if (result->note.size)
        prose_add(result->note, placing->view->plan->path, place_figure, placing, report, notices);
    add_figures(placing, stage, report);
    if (result->command.size)
        report_code(report, result->command);
    add_tables(result, report);
}

static void add_open(const StudyView *view, Report *report)
{
    if (study_count(view, STAGE_NOT_DONE) == 0)
        return;
    report_heading(report, 2, "open", str_of(tr("What is still missing")), STR(""));
    for (int i = 0; i < STAGE_COUNT; i++) {
        const StageResult *result = &view->stages[i];
        if (result->status != STAGE_NOT_DONE)
            continue;
        Str text = str_printf(report->arena, tr("**%s** needs %s. To collect it: `%s`"),
                              tr(result->info.title), tr(result->info.needs), result->info.collect);
        report_item(report, text, false);
    }
}

static void add_end(const StudyView *view, bool for_text, Report *report)
{
    section_problems(report, "problems", tr("Problems while reading"), view->notices);
    if (!for_text)
        section_folded(report, str_of(tr("The ladder as a table")),
                       study_ladder_table(view, report->arena));
    report_details(report, str_of(tr("Inputs")));
    report_table(report, study_inputs_table(view, report->arena));
    report_end(report);
    report_footer(report, str_printf(report->arena, "vernier %s", view->version));
}

void study_page_build(const StudyView *view, bool for_text, Arena *arena, Report *out,
                      Notices *notices)
{
    Placing *placing = ARENA_NEW(arena, Placing);
    *placing = (Placing){.view = view, .arena = arena, .for_text = for_text};
    for (int i = 0; i < STAGE_COUNT; i++)
        placing->placed[i] = ARENA_ARRAY(arena, bool, view->stages[i].figure_count + 1);
    report_init(out, arena);
    report_verdict(out, &view->verdict);
    if (view->plan->title.size)
        out->title = view->plan->title;
    history_report_news(view->history, arena, out);
    report_figure(out, view->ladder_on_page, STR("ladder"), STR(""));
    if (for_text)
        report_table(out, study_ladder_table(view, arena));
    report_heading(out, 2, "symptom", str_of(tr("Symptom")), STR(""));
    report_table(out, symptom_table(&view->symptom, arena));
    const Judged found[] = {judged_as(view->stages[STAGE_STEP_ONE].status),
                            judged_as(view->stages[STAGE_LOCAL_NORMS].status),
                            judged_as(view->stages[STAGE_STEP_TWO].status)};
    Table *decision = decision_table(found, arena);
    if (decision) {
        report_heading(out, 3, "", decision->name, STR(""));
        report_table(out, decision);
    }
    if (view->plan->text.size)
        prose_add(view->plan->text, view->plan->path, place_figure, placing, out, notices);
    add_closing_chart(placing, out);
    for (int i = 0; i < STAGE_COUNT; i++)
        add_stage(placing, (StudyStage)i, out, notices);
    history_report_trends(view->history, for_text ? HISTORY_TICKET_TRENDS : HISTORY_PAGE_TRENDS,
                          arena, out);
    add_open(view, out);
    add_end(view, for_text, out);
}
