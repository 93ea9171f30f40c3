// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/outputs.h"
#include "commands/redact_runs.h"
#include "commands/runner.h"
#include "layout/advise_page.h"
#include "layout/advise_picture.h"
#include "model/run_source.h"
#include "read/series_source.h"

enum { DEFAULT_COUNT = 10 };  // of the trainer's template

static const OptionSpec specs[] = {
    {"threshold", 0, OPTION_NUMBER, "X", TR("the limit of the norm: simulate with it")       },
    {"count",     0, OPTION_COUNT,  "N", TR("so many hits in a row end the run; default: 10")},
};

static const char *const examples[] = {
    "vernier advise skip train.log",
    TR("a threshold and count for skipping data by the global norm"),
    "vernier advise skip train.log --threshold 3.0 --count 10",
    TR("what these values would have skipped"),
    "vernier advise health output/ worker_0.log --threshold 270",
    TR("which checkpoints are healthy, and what spoke against the others"),
    NULL,
};

static const CommandSpec command = {
    .name = "advise",
    .arguments = "skip LOG | health FOLDER|health_ckpts.json [LOG...]",
    .purpose = TR("Thresholds for skipping data, and the health of checkpoints."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

typedef struct Job {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Runs runs;
    SkipView skip;
    Checkpoints checkpoints;
    HealthReport health;
    Verdict verdict;
} Job;

static bool read_runs(Job *job, size_t from)
{
    for (size_t i = from; i < job->options.argument_count; i++)
        if (!run_source_read(job->options.arguments[i], ROLE_SINGLE, job->arena, &job->runs,
                             &job->notices, &job->err))
            return false;
    redact_runs(&job->runs, job->notices.redaction, job->arena);
    return true;
}

static void list_recorded(Job *job)
{
    const Run *run = job->skip.run;
    job->skip.recorded = ARENA_ARRAY(job->arena, int64_t, run->events.count + 1);
    for (size_t i = 0; i < run->events.count; i++)
        if (run->events.items[i].kind == EVENT_SKIP)
            job->skip.recorded[job->skip.recorded_count++] = run->events.items[i].step;
}

static bool check_values(Job *job)
{
    double threshold = options_number(&job->options, "threshold", 1);
    if (!(threshold > 0) || isinf(threshold))
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--threshold: expected a number above 0"));
    return options_count(&job->options, "count", 1) > 0 ||
           error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                     tr("--count: expected a whole number from 1"));
}

static bool advise_skip(Job *job)
{
    SkipView *view = &job->skip;
    if (job->options.argument_count != 2)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("advise skip needs one log: vernier advise skip LOG"));
    if (!read_runs(job, 1))
        return false;
    view->run = &job->runs.items[0];
    if (!skip_advise(view->run, job->arena, &view->advice))
        return error_set(&job->err, ERR_INPUT, WHERE_FILE(view->run->files[0]), "%s",
                         tr("no gradient norm in this log"));
    view->given = options_given(&job->options, "threshold");
    view->result = view->advice.suggested;
    if (view->given || options_given(&job->options, "count")) {
        double threshold = options_number(&job->options, "threshold", view->result.threshold);
        int64_t count = options_count(&job->options, "count", DEFAULT_COUNT);
        skip_simulate(run_series(view->run, "grad_norm"), threshold, (uint64_t)count,
                      &view->advice.spikes, job->arena, &view->result);
    }
    list_recorded(job);
    skip_verdict(view, notices_any_partial(&job->notices), job->arena, &job->verdict);
    return true;
}

// The file itself, or the one of that name in the folder.
static const char *health_path(Job *job)
{
    char *path = str_cstr(job->arena, job->options.arguments[1]);
    if (file_kind(path) != FILE_FOLDER)
        return path;
    return path_join(job->arena, path, STR("health_ckpts.json"));
}

static bool advise_health(Job *job)
{
    if (job->options.argument_count < 2)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("advise health needs health_ckpts.json or its folder"));
    if (options_given(&job->options, "count"))
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--count: goes with 'advise skip'; a checkpoint is judged by itself"));
    if (options_given(&job->options, "threshold") && job->options.argument_count < 3)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--threshold is held against the norms of a log: name one behind the "
                            "checkpoints"));
    if (!health_read(health_path(job), job->arena, &job->checkpoints, &job->notices, &job->err) ||
        !read_runs(job, 2))
        return false;
    for (size_t i = 0; i < job->checkpoints.count; i++)
        job->checkpoints.items[i].name =
            redact_path(job->notices.redaction, job->checkpoints.items[i].name, job->arena);
    double threshold = options_number(&job->options, "threshold", NAN);
    health_judge(&job->checkpoints, &job->runs, threshold, job->arena, &job->health);
    if (job->health.contradicts)
        notices_add(&job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("marks and embedding norms disagree: the run used another threshold"));
    if (job->health.all_zero)
        notices_add(&job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("the embedding norm is 0 in every log given: first-stage ranks have it"));
    health_verdict(&job->health, notices_any_partial(&job->notices), job->arena, &job->verdict);
    return true;
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    advise_summary_write(context, out);
    return true;
}

static void draw(Job *job, bool health, bool bare, Scene *out)
{
    if (health)
        health_picture(&job->health, &job->verdict, bare, job->arena, out);
    else
        skip_picture(&job->skip, &job->verdict, bare, job->arena, out);
}

static void write_outputs(Job *job, bool health)
{
    Scene scene, bare;
    Report report;
    const char *base = health ? "health" : "skip";
    Table *table =
        health ? health_table(&job->health, job->arena) : skip_table(&job->skip, job->arena);
    draw(job, health, false, &scene);
    outputs_scene(&job->outputs, base, true, &scene);
    outputs_tables(&job->outputs, "xlsx", base, true, &table, 1);
    outputs_tables(&job->outputs, "csv", base, true, &table, 1);
    // The page has the verdict itself: its picture goes without.
    draw(job, health, true, &bare);
    if (health)
        health_page_build(&job->health, &job->verdict, &bare, &job->notices, job->arena, &report);
    else
        skip_page_build(&job->skip, &job->verdict, &bare, &job->notices, job->arena, &report);
    outputs_report(&job->outputs, "html", "index", true, &report);
    outputs_report(&job->outputs, "md", "summary", true, &report);
}

static int finish(Job *job, const Console *console)
{
    bool health = job->checkpoints.count > 0;
    write_outputs(job, health);
    AdviseSummary summary = {.version = VERNIER_VERSION,
                             .skip = health ? NULL : &job->skip,
                             .health = health ? &job->health : NULL,
                             .verdict = &job->verdict,
                             .notices = &job->notices};
    outputs_custom(&job->outputs, "json", "summary.json", true, write_summary, &summary);
    console_notices(console, &job->notices);
    console_verdict(console, &job->verdict);
    if (job->outputs.failed)
        return console_error(console, &job->err);
    if (options_flag(&job->options, "exit-zero"))
        return 0;
    if (health && job->health.unhealthy_count)
        return 1;
    return notices_any_partial(&job->notices) ? 4 : 0;
}

static int advise(Job *job, const Console *console)
{
    static const Redaction folders = {0};
    job->notices.redaction = options_flag(&job->options, "redact") ? &folders : NULL;
    Str topic = job->options.argument_count ? job->options.arguments[0] : STR("");
    bool skip = str_equal(topic, STR("skip")), health = str_equal(topic, STR("health"));
    if (!skip && !health) {
        error_set(&job->err, ERR_USAGE, NOWHERE,
                  tr("advise: expected skip or health, found '" STR_FMT "'"), STR_ARG(topic));
        return console_error(console, &job->err);
    }
    if (!outputs_plan(&job->options, "html,md,json,xlsx,svg,png", outputs_json_only, job->arena,
                      &job->outputs, &job->err) ||
        !check_values(job) || !(skip ? advise_skip(job) : advise_health(job))) {
        console_notices(console, &job->notices);
        return console_error(console, &job->err);
    }
    return finish(job, console);
}

static int run_advise(const CommandCall *call)
{
    Job job = {.arena = call->arena, .options = call->options};
    notices_init(&job.notices, job.arena);
    return advise(&job, &call->console);
}

int command_advise(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_advise, argc, argv, collector);
}
