// SPDX-License-Identifier: Apache-2.0
// vernier study: every stage of a case study, one report.
#include "base/file.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/history_log.h"
#include "commands/machinery/output_guard.h"
#include "commands/machinery/runner.h"
#include "commands/study/stage_runs.h"
#include "commands/study/study_init.h"
#include "export/history/study_history.h"
#include "picture/kit/verdict_head.h"
#include "picture/overview/study_ladder.h"
#include "report/history/history_tables.h"
#include "verdict/sentence.h"

static const OptionSpec specs[] = {
    {"init", 0, OPTION_FLAG, NULL,
     TR("look through folders and write a study.yaml of what is there"), 0},
    HISTORY_OPTION,
};

static bool make_study(const CommandCall *call, Product *out);

const CommandSpec study_command = {
    .name = "study",
    .arguments = "STUDY.yaml | EXPERIMENTS.csv | --init DIR...",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .printed = true,
    .make = make_study,
};

typedef struct StudyJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Redaction redaction;
    StudyPlan plan;
    StudyView view;
    FoundItems found;  // --init
} StudyJob;

// The folder of the study becomes "study"; nothing outside of it is named by more than its last
// part.
static void redact(StudyJob *job, Str path)
{
    if (!options_flag(job->options, "redact"))
        return;
    redact_add(&job->redaction, job->arena, path_folder(path), STR("study"));
    job->notices->redaction = &job->redaction;
}

static bool refuse_folder(const StudyJob *job, const char *path)
{
    const char *inside = path_join(job->arena, path, STR("study.yaml"));
    error_set(job->err, ERR_INPUT, WHERE_FILE(path), "%s",
              tr("is a folder; study reads the file that lists its inputs"));
    if (file_kind(inside) == FILE_REGULAR)
        return error_hint(job->err, tr("there is one: %s"),
                          SHELL_LINE(job->arena, "study", inside));
    return error_hint(job->err, tr("a draft of it: %s > study.yaml"),
                      SHELL_LINE(job->arena, "study --init", path));
}

static bool read_plan(StudyJob *job)
{
    for (size_t i = 0; i < job->options->argument_count; i++) {
        const char *path = str_cstr(job->arena, job->options->arguments[i]);
        if (file_kind(path) == FILE_FOLDER)
            return refuse_folder(job, path);
    }
    if (job->options->argument_count != 1)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("study needs one file: vernier study STUDY.yaml"));
    Str path = job->options->arguments[0];
    redact(job, path);
    return study_read(str_cstr(job->arena, path), job->arena, &job->plan, job->notices, job->err);
}

static void run_stages(StudyJob *job)
{
    study_facts_init(&job->view.facts);
    for (int i = 0; i < STAGE_COUNT; i++) {
        StageWork work = {.arena = job->arena,
                          .plan = &job->plan,
                          .section = &job->plan.sections[i],
                          .stage = (StudyStage)i,
                          .redaction = job->notices->redaction,
                          .jobs = options_text(job->options, "jobs", ""),
                          .options = job->options,
                          .out = &job->view.stages[i],
                          .facts = &job->view.facts,
                          .notices = job->notices};
        study_stage_run(&work);
    }
}

// Paths of the plan as they are shown.
static void redact_plan(StudyJob *job)
{
    for (int i = 0; i < STAGE_COUNT; i++) {
        StudySection *section = &job->plan.sections[i];
        for (size_t k = 0; k < section->count; k++)
            for (size_t n = 0; n < section->items[k].count; n++)
                section->items[k].items[n] =
                    redact_path(job->notices->redaction, section->items[k].items[n], job->arena);
    }
    for (size_t i = 0; i < job->plan.rungs.count; i++)
        for (int side = 0; side < 2; side++)
            job->plan.rungs.items[i].sides[side] = redact_path(
                job->notices->redaction, job->plan.rungs.items[i].sides[side], job->arena);
}

static void draw_ladder(StudyJob *job)
{
    Scene *picture = ARENA_NEW(job->arena, Scene);
    study_ladder(&job->view, job->arena, picture);
    job->view.ladder = picture_with_verdict(picture, &job->view.verdict, job->arena);
    job->view.ladder_on_page = picture;
}

static void add_pictures(StudyJob *job, Product *out)
{
    product_picture(out, STR("ladder"), true, job->view.ladder);
    for (int i = 0; i < STAGE_COUNT; i++) {
        const StageResult *stage = &job->view.stages[i];
        for (size_t k = 0; k < stage->figure_count; k++) {
            const StageFigure *figure = &stage->figures[k];
            product_picture(out, figure->name, false,
                            figure->picture ? figure->picture : figure->on_page);
        }
    }
}

static void add_tables(StudyJob *job, Product *out)
{
    size_t count = 3, at = 0;
    for (int i = 0; i < STAGE_COUNT; i++)
        count += job->view.stages[i].table_count;
    Table **sheets = ARENA_ARRAY(job->arena, Table *, count);
    sheets[at++] = study_ladder_table(&job->view, job->arena);
    for (int i = 0; i < STAGE_COUNT; i++)
        for (size_t k = 0; k < job->view.stages[i].table_count; k++)
            sheets[at++] = job->view.stages[i].tables[k];
    sheets[at++] = study_inputs_table(&job->view, job->arena);
    if (job->view.history)
        sheets[at++] = history_table_of_trends(job->view.history, 0, job->arena);
    product_book(out, STR("study"), true, sheets, at);
    product_sheet(out, STR("ladder"), true, sheets[0]);
}

static void add_pages(StudyJob *job, Product *out)
{
    Report *page = ARENA_NEW(job->arena, Report), *text = ARENA_NEW(job->arena, Report);
    Notices again;
    notices_init(&again, job->arena);
    again.redaction = job->notices->redaction;
    job->view.figure_files =
        outputs_folder_wants(job->outputs, "svg") || outputs_folder_wants(job->outputs, "png");
    study_page_build(&job->view, false, job->arena, page, job->notices);
    study_page_build(&job->view, true, job->arena, text, &again);
    product_page(out, page, "study");
    product_ticket(out, text, "study");
    // Markdown links to the pictures that are next to it.
    job->outputs->render.image_suffix = outputs_folder_wants(job->outputs, "png") ? ".png" : NULL;
}

// What the study says of the stages in `view`.
static void say(const StudyJob *job, StudyView *view, Arena *arena)
{
    study_symptom(view->stages, &view->facts, arena, &view->symptom);
    study_verdict(view, arena, &view->verdict);
    Str settings = settings_judging(job->options, job->notices->redaction, arena);
    verdict_judged_by(&view->verdict, settings, arena);
}

typedef struct NightOfStudy {
    const StudyJob *job;
    Lang lang;  // of the run, and so of what its stages say
} NightOfStudy;

// In the other language a stage is reported without what it says itself.
static Str tell(const void *of, Arena *arena)
{
    const NightOfStudy *night = of;
    StudyView *view = ARENA_NEW(arena, StudyView);
    *view = night->job->view;
    for (int i = 0; i < STAGE_COUNT && words_lang() != night->lang; i++)
        view->stages[i].number = (Str){"", 0};
    say(night->job, view, arena);
    return view->verdict.sentence;
}

// The night is called after the folder of the study, else after its file.
static void keep_night(StudyJob *job, Product *out)
{
    HistoryNight tonight = {0};
    NightOfStudy night = {job, words_lang()};
    if (!history_wanted(job->options) || job->view.verdict.style == STYLE_NO_DATA)
        return;
    Str path = redact_path(job->notices->redaction, job->options->arguments[0], job->arena);
    Str folder = history_label(path_folder(path));
    study_history_facts(&job->view, job->arena, &tonight);
    path = str_equal(folder, STR(".")) ? path : path_folder(path);
    job->view.history = history_log_keep(job->options, &tonight, path, tell, &night, out);
}

static void produce(StudyJob *job, Product *out)
{
    draw_ladder(job);
    history_log_draw(job->view.history, &job->view.verdict, out);
    add_pages(job, out);
    add_pictures(job, out);
    add_tables(job, out);
    product_facts(out, study_summary_write, &job->view);
    out->verdict = job->view.verdict;
    out->status = job->view.verdict.style == STYLE_NO_DATA ? PRODUCT_NOTHING
                  : study_count(&job->view, STAGE_FAILED)  ? PRODUCT_DIFFERS
                                                           : PRODUCT_AGREES;
}

static bool make_report(StudyJob *job, Product *out)
{
    if (!read_plan(job) || !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err))
        return false;
    job->view.version = VERNIER_VERSION;
    job->view.plan = &job->plan;
    job->view.notices = job->notices;
    run_stages(job);
    redact_plan(job);
    Str title = options_text(job->options, "title", "");
    if (title.size)
        job->plan.title = title;
    job->notices->title = job->plan.title;
    out->ci.judged_by = settings_judging(job->options, job->notices->redaction, job->arena);
    say(job, &job->view, job->arena);
    keep_night(job, out);
    produce(job, out);
    return true;
}

// ---- the draft of a study

static bool check_init(StudyJob *job)
{
    static const char *const of_reports[] = {"format", "title",     "history",   "html",
                                             "theme",  "palette",   "templates", "redact",
                                             "open",   "exit-zero", NULL};
    const char *other = options_first_of(job->options, of_reports);
    if (other)
        return error_set(job->err, ERR_USAGE, NOWHERE,
                         tr("study --init writes a draft and no report: --%s does not go with it"),
                         other);
    if (options_list_count(job->options, "output") > 1)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("study --init writes one file: one -o"));
    return job->options->argument_count ||
           error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                     tr("study --init needs folders: vernier study --init DIR..."));
}

// To standard output, or the one file after -o: nothing else is written.
static bool write_draft(void *context, Notices *notices, Error *err)
{
    StudyJob *job = context;
    (void)notices;
    Str path = options_text(job->options, "output", "-");
    Sink *sink =
        str_equal(path, STR("-")) ? sink_stdout() : sink_file(str_cstr(job->arena, path), err);
    if (!sink)
        return false;
    study_init_write(&job->found, job->arena, sink);
    return sink_commit(sink, err);
}

static bool make_draft(StudyJob *job, Product *out)
{
    if (!check_init(job) ||
        !study_find(job->options->arguments, job->options->argument_count, job->arena, &job->found,
                    job->notices, job->err) ||
        !output_guard_options(job->options, job->arena, job->err))
        return false;
    size_t count = job->found.count;
    out->verdict =
        (Verdict){.style = count ? STYLE_PASS : STYLE_NO_DATA,
                  .sentence = str_printf(
                      job->arena, tr_count(count, "found %zu input", "found %zu inputs"), count)};
    out->status = count ? PRODUCT_AGREES : PRODUCT_NOTHING;
    out->write_beside = write_draft;
    out->fills_standard = str_equal(options_text(job->options, "output", "-"), STR("-"));
    out->job = job;
    return true;
}

static bool make_study(const CommandCall *call, Product *out)
{
    StudyJob *job = ARENA_NEW(call->arena, StudyJob);
    *job = (StudyJob){.arena = call->arena,
                      .options = call->options,
                      .outputs = call->outputs,
                      .notices = call->notices,
                      .err = call->err};
    return options_flag(job->options, "init") ? make_draft(job, out) : make_report(job, out);
}
