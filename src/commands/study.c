// SPDX-License-Identifier: Apache-2.0
#include "commands/study_stages.h"

#include "base/file.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/history_log.h"
#include "commands/output_guard.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "commands/study_init.h"
#include "layout/history_tables.h"
#include "layout/study_history.h"

static const OptionSpec specs[] = {
    {"init", 0, OPTION_FLAG, NULL,
     TR("look through folders and write a study.yaml of what is there")},
    HISTORY_OPTION,
};

static const char *const examples[] = {
    "vernier study --init gpu/ npu/ > study.yaml",
    TR("what these folders hold, as a study to complete"),
    "vernier study study.yaml -o study/",
    TR("every stage of the guide in one report, and what is still missing"),
    NULL,
};

static const CommandSpec command = {
    .name = "study",
    .arguments = "STUDY.yaml | --init DIR...",
    .purpose = TR("A whole accuracy case study: every stage of the guide, one report."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

typedef struct StudyRun {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Redaction redaction;
    StudyPlan plan;
    StudyView view;
    HistoryLog log;
} StudyRun;

// The folder of the study becomes "study"; nothing outside of it is named by more than its last part.
static void redact(StudyRun *run, Str path)
{
    if (!options_flag(&run->options, "redact"))
        return;
    redact_add(&run->redaction, run->arena, path_folder(path), STR("study"));
    run->notices.redaction = &run->redaction;
}

static bool read_plan(StudyRun *run)
{
    if (run->options.argument_count != 1)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("study needs one file: vernier study STUDY.yaml"));
    Str path = run->options.arguments[0];
    redact(run, path);
    return study_read(str_cstr(run->arena, path), run->arena, &run->plan, &run->notices, &run->err);
}

static void run_stages(StudyRun *run)
{
    study_facts_init(&run->view.facts);
    for (int i = 0; i < STAGE_COUNT; i++) {
        StageWork work = {.arena = run->arena,
                          .plan = &run->plan,
                          .section = &run->plan.sections[i],
                          .stage = (StudyStage)i,
                          .redaction = run->notices.redaction,
                          .jobs = options_text(&run->options, "jobs", ""),
                          .out = &run->view.stages[i],
                          .facts = &run->view.facts,
                          .notices = &run->notices};
        study_stage_run(&work);
    }
}

// Paths of the plan as they are shown.
static void redact_plan(StudyRun *run)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        StudySection *section = &run->plan.sections[i];
        for (size_t k = 0; k < section->count; k++)
            for (size_t n = 0; n < section->items[k].count; n++)
                section->items[k].items[n] =
                    redact_path(run->notices.redaction, section->items[k].items[n], run->arena);
    }
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    study_summary_write(context, out);
    return true;
}

static void draw_ladder(StudyRun *run)
{
    Scene *picture = ARENA_NEW(run->arena, Scene), *on_page = ARENA_NEW(run->arena, Scene);
    Verdict bare = {.sentence = run->view.verdict.sentence, .style = run->view.verdict.style};
    study_ladder(&run->view, &run->view.verdict, run->arena, picture);
    study_ladder(&run->view, &bare, run->arena, on_page);
    run->view.ladder = picture;
    run->view.ladder_on_page = on_page;
}

static void write_figures(StudyRun *run)
{
    outputs_scene(&run->outputs, "ladder", true, run->view.ladder);
    for (int i = 0; i < STAGE_COUNT; i++) {
        const StageResult *stage = &run->view.stages[i];
        for (size_t k = 0; k < stage->figure_count; k++) {
            const StageFigure *figure = &stage->figures[k];
            const Scene *scene = figure->picture ? figure->picture : figure->on_page;
            outputs_scene(&run->outputs, str_cstr(run->arena, figure->name), false, scene);
        }
    }
}

static void write_book(StudyRun *run)
{
    size_t count = 3, at = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        count += run->view.stages[i].table_count;
    Table **sheets = ARENA_ARRAY(run->arena, Table *, count);
    sheets[at++] = study_ladder_table(&run->view, run->arena);
    for (int i = 0; i < STAGE_COUNT; i++)
        for (size_t k = 0; k < run->view.stages[i].table_count; k++)
            sheets[at++] = run->view.stages[i].tables[k];
    sheets[at++] = study_inputs_table(&run->view, run->arena);
    if (run->view.history)
        sheets[at++] = history_table_of_trends(run->view.history, 0, run->arena);
    outputs_tables(&run->outputs, "xlsx", "study", true, sheets, at);
    outputs_tables(&run->outputs, "csv", "ladder", true, sheets, 1);
}

// Markdown links to the pictures that stand beside it.
static void write_reports(StudyRun *run)
{
    Report page, text;
    Notices again;
    notices_init(&again, run->arena);
    again.redaction = run->notices.redaction;
    run->view.figure_files =
        outputs_folder_wants(&run->outputs, "svg") || outputs_folder_wants(&run->outputs, "png");
    study_page_build(&run->view, false, run->arena, &page, &run->notices);
    study_page_build(&run->view, true, run->arena, &text, &again);
    outputs_report(&run->outputs, "html", "index", true, &page);
    outputs_report(&run->outputs, "pdf", "study", true, &page);
    run->outputs.render.image_suffix = outputs_folder_wants(&run->outputs, "png") ? ".png" : NULL;
    outputs_report(&run->outputs, "md", "study", true, &text);
    run->outputs.render.image_suffix = NULL;
}

static int finish(StudyRun *run, const Console *console)
{
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_verdict(console, &run->view.verdict);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->log.failed)
        return 5;
    if (run->view.verdict.style == STYLE_NO_DATA)
        return 3;
    if (options_flag(&run->options, "exit-zero"))
        return 0;
    if (study_count(&run->view, STAGE_FAILED))
        return 1;
    return run->view.verdict.partial ? 4 : 0;
}

// The night is called after the folder of the study, else after its file.
static void keep_night(StudyRun *run)
{
    HistoryNight tonight = {.verdict = run->view.verdict.sentence};
    if (!history_wanted(&run->options) || run->view.verdict.style == STYLE_NO_DATA)
        return;
    Str path = redact_path(run->notices.redaction, run->options.arguments[0], run->arena);
    Str folder = history_label(path_folder(path));
    study_history_facts(&run->view, run->arena, &tonight);
    run->view.history = history_log_keep(&run->outputs, &run->options, &tonight,
                                         str_equal(folder, STR(".")) ? path : path_folder(path),
                                         &run->notices, &run->log);
}

static int study(StudyRun *run, const Console *console)
{
    if (!read_plan(run) || !outputs_plan(&run->options, "html,md,json,xlsx,svg,png,pdf",
                                         outputs_json_only, run->arena, &run->outputs, &run->err)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    run->outputs.report_alone_as_pdf = true;
    run->view.version = VERNIER_VERSION;
    run->view.plan = &run->plan;
    run->view.notices = &run->notices;
    run_stages(run);
    redact_plan(run);
    Str title = options_text(&run->options, "title", "");
    if (title.size)
        run->plan.title = title;
    study_symptom(run->view.stages, &run->view.facts, run->arena, &run->view.symptom);
    study_verdict(&run->view, run->arena, &run->view.verdict);
    keep_night(run);
    draw_ladder(run);
    history_log_draw(run->view.history, &run->view.verdict, &run->outputs);
    write_reports(run);
    write_figures(run);
    write_book(run);
    outputs_custom(&run->outputs, "json", "summary.json", true, write_summary, &run->view);
    return finish(run, console);
}

// Standard output, or the one file behind -o: nothing else is written.
static Sink *open_draft(StudyRun *run)
{
    Str path = options_text(&run->options, "output", "-");
    return str_equal(path, STR("-")) ? sink_stdout()
                                     : sink_file(str_cstr(run->arena, path), &run->err);
}

static int init(StudyRun *run, const Console *console)
{
    static const char *const of_reports[] = {"format",    "title",   "history",   "html",
                                             "theme",     "palette", "templates", "redact",
                                             "exit-zero", NULL};
    FoundItems found;
    const char *other = options_first_of(&run->options, of_reports);
    if (other) {
        error_set(&run->err, ERR_USAGE, NOWHERE,
                  tr("study --init writes a draft and no report: --%s does not go with it"), other);
        return console_error(console, &run->err);
    }
    if (options_list_count(&run->options, "output") > 1) {
        error_set(&run->err, ERR_USAGE, NOWHERE, "%s", tr("study --init writes one file: one -o"));
        return console_error(console, &run->err);
    }
    if (run->options.argument_count == 0) {
        error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                  tr("study --init needs folders: vernier study --init DIR..."));
        return console_error(console, &run->err);
    }
    if (!study_find(run->options.arguments, run->options.argument_count, run->arena, &found,
                    &run->notices, &run->err)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    Sink *sink =
        output_guard_options(&run->options, run->arena, &run->err) ? open_draft(run) : NULL;
    if (!sink)
        return console_error(console, &run->err);
    study_init_write(&found, run->arena, sink);
    if (!sink_commit(sink, &run->err))
        return console_error(console, &run->err);
    console_notices(console, &run->notices);
    Verdict verdict = {
        .style = found.count ? STYLE_PASS : STYLE_NO_DATA,
        .sentence = str_printf(
            run->arena, tr_count(found.count, "found %zu input", "found %zu inputs"), found.count)};
    console_verdict(console, &verdict);
    return found.count ? 0 : 3;
}

static int run_study(const CommandCall *call)
{
    StudyRun run = {.arena = call->arena, .options = call->options};
    notices_init(&run.notices, run.arena);
    if (options_flag(&run.options, "init"))
        return init(&run, &call->console);
    return study(&run, &call->console);
}

int command_study(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_study, argc, argv, collector);
}
