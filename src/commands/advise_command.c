// SPDX-License-Identifier: Apache-2.0
// vernier advise: thresholds for skipping data, and the health of checkpoints.
#include <math.h>

#include "base/file.h"
#include "base/shell_word.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/log_options.h"
#include "commands/machinery/redact_runs.h"
#include "commands/machinery/runner.h"
#include "export/summary/advise_summary.h"
#include "model/run/run_source.h"
#include "picture/curves/advise_picture.h"
#include "report/curves/advise_page.h"

enum { DEFAULT_COUNT = 10 };  // of the trainer's template

static const OptionSpec specs[] = {
    {"threshold", 0, OPTION_NUMBER, "X", TR("limit of the norm to simulate with"), 0},
    {"count", 0, OPTION_COUNT, "N", TR("consecutive hits that end the run; default: 10"), 0},
    LOG_OPTIONS,
};

static bool make_advise(const CommandCall *call, Product *out);

const CommandSpec advise_command = {
    .name = "advise",
    .arguments = "skip LOG | health FOLDER|health_ckpts.json|LOG [LOG...]",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_advise,
};

typedef struct AdviseJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Runs runs;
    LogWish wish;
    SkipView skip;
    Checkpoints checkpoints;
    HealthFindings health;
    Verdict verdict;
    AdviseSummary summary;
} AdviseJob;

static bool read_runs(AdviseJob *job, size_t from)
{
    if (!log_wish_read(job->options, job->arena, job->notices, &job->wish, job->err))
        return false;
    job->runs.wish = &job->wish;
    for (size_t i = from; i < job->options->argument_count; i++)
        if (!run_source_read(job->options->arguments[i], ROLE_SINGLE, job->arena, &job->runs,
                             job->notices, job->err))
            return false;
    redact_runs(&job->runs, job->notices->redaction, job->arena);
    return true;
}

static void list_recorded(AdviseJob *job)
{
    const Run *run = job->skip.run;
    job->skip.recorded = ARENA_ARRAY(job->arena, int64_t, run->events.count + 1);
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].kind == EVENT_SKIP)
            job->skip.recorded[job->skip.recorded_count++] = run->events.items[i].step;
}

static bool check_values(AdviseJob *job)
{
    double threshold = options_number(job->options, "threshold", 1);
    if (!(threshold > 0) || isinf(threshold))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--threshold: expected a number above 0"));
    return options_count(job->options, "count", 1) > 0 ||
           error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                     tr("--count: expected a whole number from 1"));
}

static bool advise_skip(AdviseJob *job)
{
    SkipView *view = &job->skip;
    const Str *logs = job->options->arguments + 1;
    if (job->options->argument_count != 2)
        error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                  tr("advise skip needs one log: vernier advise skip LOG"));
    if (job->options->argument_count > 2)
        return error_hint(
            job->err, tr("parts of one log are joined by commas: %s"),
            SHELL_LINE(job->arena, "advise skip",
                       str_cstr(job->arena, str_printf(job->arena, STR_FMT "," STR_FMT,
                                                       STR_ARG(logs[0]), STR_ARG(logs[1])))));
    if (job->options->argument_count < 2)
        return false;
    if (!read_runs(job, 1))
        return false;
    view->run = &job->runs.items[0];
    if (!skip_advise(view->run, job->arena, &view->advice))
        return error_set(job->err, ERR_INPUT, WHERE_FILE(view->run->files[0]), "%s",
                         run_series(view->run, "grad_norm")
                             ? tr("the gradient norm of this log is NaN at every step")
                             : tr("no gradient norm in this log"));
    view->given = options_given(job->options, "threshold");
    view->result = view->advice.suggested;
    if (view->given || options_given(job->options, "count")) {
        double threshold = options_number(job->options, "threshold", view->result.threshold);
        int64_t count = options_count(job->options, "count", DEFAULT_COUNT);
        skip_simulate(run_series(view->run, "grad_norm"), threshold, (uint64_t)count,
                      &view->advice.spikes, job->arena, &view->result);
    }
    list_recorded(job);
    skip_verdict(view, notices_any_partial(job->notices), job->arena, &job->verdict);
    return true;
}

// The file itself, or the one of that name in the folder.
static const char *health_path(AdviseJob *job)
{
    char *path = str_cstr(job->arena, job->options->arguments[1]);
    if (file_kind(path) != FILE_FOLDER)
        return path;
    return path_join(job->arena, path, STR("health_ckpts.json"));
}

// A log where a record of checkpoints may stand: then all arguments are logs.
static bool is_log_alone(const AdviseJob *job)
{
    char *path = str_cstr(job->arena, job->options->arguments[1]);
    File file;
    Error ignored;
    if (file_kind(path) != FILE_REGULAR || !file_open(path, &file, &ignored))
        return false;
    bool log = !health_recognise(file.text) && str_find_char(str_trim(file.text), '[', 0) != 0;
    file_close(&file);
    return log;
}

static bool advise_health(AdviseJob *job)
{
    bool alone = job->options->argument_count > 1 && is_log_alone(job);
    size_t least = alone ? 2 : 3;
    if (job->options->argument_count < 2)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("advise health needs health_ckpts.json or its folder"));
    if (options_given(job->options, "count"))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--count: goes with 'advise skip'; a checkpoint is judged by itself"));
    if (options_given(job->options, "threshold") && job->options->argument_count < least)
        return error_set(
            job->err, ERR_USAGE, NOWHERE, "%s",
            tr("--threshold is compared with the norms of a log: name one after the checkpoints"));
    static const char *const of_logs[] = {"pattern", "patterns", "columns", NULL};
    const char *idle = options_first_of(job->options, of_logs);
    if (idle && job->options->argument_count < least)
        return error_set(job->err, ERR_USAGE, NOWHERE,
                         tr("--%s: says how a log is read; name one after the checkpoints"), idle);
    if ((!alone &&
         !health_read(health_path(job), job->arena, &job->checkpoints, job->notices, job->err)) ||
        !read_runs(job, alone ? 1 : 2))
        return false;
    for (size_t i = 0; i < job->checkpoints.count; i++)
        job->checkpoints.items[i].name =
            redact_path(job->notices->redaction, job->checkpoints.items[i].name, job->arena);
    double threshold = options_number(job->options, "threshold", NAN);
    health_judge(&job->checkpoints, &job->runs, threshold, job->arena, &job->health);
    if (alone && job->health.embedding_count == 0)
        return error_set(job->err, ERR_INPUT, WHERE_FILE(job->runs.items[0].files[0]), "%s",
                         tr("neither a record of checkpoints nor a log with embedding norms"));
    if (job->health.contradicts)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("marks and embedding norms disagree: the run used another threshold"));
    if (job->health.all_zero)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("the embedding norm is 0 in every log given: first-stage ranks have it"));
    health_verdict(&job->health, notices_any_partial(job->notices), job->arena, &job->verdict);
    return true;
}

static Scene *draw(const AdviseJob *job, bool health)
{
    Scene *scene = ARENA_NEW(job->arena, Scene);
    if (health)
        health_picture(&job->health, job->arena, scene);
    else
        skip_picture(&job->skip, job->arena, scene);
    return scene;
}

static void produce(AdviseJob *job, bool health, Product *out)
{
    Str base = health ? STR("health") : STR("skip");
    Report *report = ARENA_NEW(job->arena, Report);
    Table *table =
        health ? health_table(&job->health, job->arena) : skip_table(&job->skip, job->arena);
    Scene *scene = draw(job, health);
    if (health)
        health_page_build(&job->health, &job->verdict, scene, job->notices, job->arena, report);
    else
        skip_page_build(&job->skip, &job->verdict, scene, job->notices, job->arena, report);
    job->summary = (AdviseSummary){.version = VERNIER_VERSION,
                                   .skip = health ? NULL : &job->skip,
                                   .health = health ? &job->health : NULL,
                                   .verdict = &job->verdict,
                                   .notices = job->notices};
    product_figure(out, base, true, scene, &job->verdict);
    product_book(out, base, true, &table, 1);
    product_sheet(out, base, true, table);
    product_page(out, report, NULL);
    product_ticket(out, report, "summary");
    product_facts(out, advise_summary_write, &job->summary);
    out->verdict = job->verdict;
    out->status = health && job->health.unhealthy_count ? PRODUCT_DIFFERS : PRODUCT_AGREES;
}

static bool make_advise(const CommandCall *call, Product *out)
{
    AdviseJob *job = ARENA_NEW(call->arena, AdviseJob);
    *job = (AdviseJob){.arena = call->arena,
                       .options = call->options,
                       .outputs = call->outputs,
                       .notices = call->notices,
                       .err = call->err};
    Str topic = job->options->argument_count ? job->options->arguments[0] : STR("");
    bool skip = str_equal(topic, STR("skip")), health = str_equal(topic, STR("health"));
    if (!topic.size)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("advise needs a topic: vernier advise skip LOG, or vernier advise "
                            "health LIST"));
    if (!skip && !health) {
        const char *path = str_cstr(job->arena, topic);
        error_set(job->err, ERR_USAGE, NOWHERE,
                  tr("advise: expected skip or health, found '" STR_FMT "'"), STR_ARG(topic));
        return file_kind(path) != FILE_NONE &&
               error_hint(job->err, tr("its thresholds: %s"),
                          SHELL_LINE(job->arena, "advise skip", path));
    }
    if (!outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) ||
        !check_values(job) || !(skip ? advise_skip(job) : advise_health(job)))
        return false;
    produce(job, health, out);
    return true;
}
