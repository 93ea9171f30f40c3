// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_weights.h"

#include "base/threads.h"
#include "base/words.h"
#include "commands/history_log.h"
#include "layout/history_tables.h"
#include "layout/weights_history.h"
#include "layout/weights_page.h"
#include "layout/weights_picture.h"

bool compare_weights_wanted(const Options *options, const Str paths[2], Arena *arena)
{
    static const char *const of_dumps[] = {"rules",
                                           "noise",
                                           "step",
                                           "rank",
                                           "data-mapping",
                                           "api-mapping",
                                           "cell-mapping",
                                           "layer-mapping",
                                           "write-mapping",
                                           "write-layer-mapping",
                                           "criteria",
                                           "view",
                                           "focus",
                                           "fuzzy",
                                           "consistency",
                                           "depth",
                                           "overflow",
                                           "parallel-merge",
                                           NULL};
    return !options_first_of(options, of_dumps) && weights_readable(str_cstr(arena, paths[0])) &&
           weights_readable(str_cstr(arena, paths[1]));
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    weights_summary_write(context, out);
    return true;
}

// With the verdict on top as a file, without it on the page.
static void draw(const WeightsJob *job, WeightsView *view)
{
    Scene *scene = ARENA_NEW(job->arena, Scene), *on_page = ARENA_NEW(job->arena, Scene);
    if (!outputs_want_pictures(job->outputs) || !weights_picture(view, false, job->arena, scene))
        return;
    outputs_scene(job->outputs, "weights", true, scene);
    if (weights_picture(view, true, job->arena, on_page))
        view->picture = on_page;
}

static void write_outputs(const WeightsJob *job, WeightsView *view)
{
    Report report;
    Table *sheets[4];
    size_t count = 0;
    Str title = options_text(job->options, "title", "");
    Table *all = weights_table(view->comparison, 0, job->arena);
    Table *forms = weights_forms_table(view->comparison, job->arena);
    draw(job, view);
    sheets[count++] = all;
    if (forms)
        sheets[count++] = forms;
    sheets[count++] = weights_sides_table(view, job->arena);
    if (view->history)
        sheets[count++] = history_table_of_trends(view->history, 0, job->arena);
    history_log_draw(view->history, view->verdict, job->outputs);
    outputs_tables(job->outputs, "xlsx", "compare", true, sheets, count);
    outputs_tables(job->outputs, "csv", "weights", true, &all, 1);
    weights_page_build(view, title, job->arena, &report);
    outputs_report(job->outputs, "html", "index", true, &report);
    weights_ticket_build(view, title, job->arena, &report);
    outputs_report(job->outputs, "md", "summary", true, &report);
    outputs_custom(job->outputs, "json", "summary.json", true, write_summary, view);
    static const char *const others[] = {"nodes", "junit", "vis-db"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (outputs_want(job->outputs, others[i]))
            notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                        tr("checkpoints have no ops: there is nothing to write as %s"), others[i]);
}

// Nights of checkpoints are counted apart from those of dumps.
static void keep_night(const WeightsJob *job, WeightsView *view, HistoryLog *log)
{
    if (!history_wanted(job->options) || view->comparison->compared == 0)
        return;
    HistoryNight tonight = {.command = STR("checkpoints"), .verdict = view->verdict->sentence};
    weights_history_facts(view, job->arena, &tonight);
    view->history =
        history_log_keep(job->outputs, job->options, &tonight, job->target, job->notices, log);
}

static int finish(const WeightsJob *job, const WeightComparison *comparison, const Console *console)
{
    Verdict verdict;
    weights_verdict(comparison, notices_any_partial(job->notices), job->arena, &verdict);
    WeightsView view = {.version = VERNIER_VERSION,
                        .comparison = comparison,
                        .verdict = &verdict,
                        .golden = job->golden,
                        .target = job->target,
                        .notices = job->notices};
    ReadTotals totals = {.files = 2,
                         .bytes = comparison->golden->bytes + comparison->target->bytes,
                         .ops = comparison->golden->count + comparison->target->count,
                         .weights = true,
                         .seconds = console_seconds(console)};
    HistoryLog log = {0};
    keep_night(job, &view, &log);
    write_outputs(job, &view);
    console_notices(console, job->notices);
    console_read_line(console, &totals, job->notices);
    console_verdict(console, &verdict);
    if (job->outputs->failed)
        return console_error(console, job->err);
    if (log.failed)
        return 5;
    if (comparison->compared == 0)
        return 3;
    if (options_flag(job->options, "exit-zero"))
        return 0;
    if (verdict.style == STYLE_ERROR)
        return 1;
    return verdict.partial ? 4 : 0;
}

int compare_weights(const WeightsJob *job, const Console *console)
{
    Weights golden, target;
    WeightComparison comparison;
    if (!weights_open(str_cstr(job->arena, job->paths[0]), job->arena, &golden, job->notices,
                      job->err))
        return console_error(console, job->err);
    if (!weights_open(str_cstr(job->arena, job->paths[1]), job->arena, &target, job->notices,
                      job->err)) {
        weights_close(&golden);
        return console_error(console, job->err);
    }
    int jobs = (int)options_count(job->options, "jobs", threads_default_jobs());
    weight_compare(&golden, &target, jobs, job->arena, &comparison, job->notices);
    int code = finish(job, &comparison, console);
    weights_close(&golden);
    weights_close(&target);
    return code;
}
