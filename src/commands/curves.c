// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/history_log.h"
#include "commands/outputs.h"
#include "commands/redact_runs.h"
#include "commands/runner.h"
#include "layout/curves_history.h"
#include "layout/curves_page.h"
#include "layout/curves_picture.h"
#include "layout/curves_summary.h"
#include "layout/curves_tables.h"
#include "layout/history_tables.h"
#include "layout/norms_picture.h"
#include "model/rekey.h"
#include "model/run_source.h"
#include "trend/over_time.h"

static const OptionSpec specs[] = {
    {"golden",    'g', OPTION_TEXT,   "RUN",                              TR("the trusted run")                                  },
    {"target",    't', OPTION_LIST,   "RUN",                              TR("a run under question")                             },
    {"noise",     0,   OPTION_LIST,   "RUN",
     TR("another run of the golden set-up: its spread is the noise")                                                             },
    {"criterion", 0,   OPTION_CHOICE, "lr0|long|converged",
     TR("what the runs are judged by: learning rate 0, a long run, its end")                                                     },
    {"limits",    0,   OPTION_TEXT,   "LIST",
     TR("other limits, by the names of 'vernier help rules': ABSOLUTE=0.05,MEAN=2")                                              },
    {"name-map",  0,   OPTION_TEXT,   "FILE",
     TR("rows 'target,benchmark' that name the weights of local norms")                                                          },
    {"series",    0,   OPTION_TEXT,   "LIST",                             TR("series to draw, e.g. loss,grad_norm; default: all")},
    {"smooth",    0,   OPTION_NUMBER, "W",
     TR("line over the raw one: below 1 a debiased EMA of that weight (the default, by length), from 1 a "
        "centred mean of so many, 0 none")                                                                                       },
    {"log-y",     0,   OPTION_FLAG,   NULL,                               TR("the loss on a log axis")                           },
    {"x",         0,   OPTION_CHOICE, "step|samples|tokens|updates|time",
     TR("what runs are joined and drawn over; time: drawn over the time since the first record, joined by steps")                },
    {"range",     0,   OPTION_TEXT,   "A-B",                              TR("only these steps, e.g. 100-500")                   },
    HISTORY_OPTION,
};

static const char *const examples[] = {
    "vernier curves train.log",
    TR("loss, gradient norm and rate of one run, its skips and spikes"),
    "vernier curves gpu.log npu.log --noise gpu2.log",
    TR("the difference of two runs, and whether it is more than noise"),
    NULL,
};

static const CommandSpec command = {
    .name = "curves",
    .arguments = "[NAME=]RUN...",
    .purpose = TR("Draws training curves from any log or table and judges their difference."),
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
    NameMap map;
    bool has_map;
    CurveLimits limits;
    CurveReport report;
    CurveReport timed;  // what pictures over time show
    Runs timed_runs;
    Verdict verdict;
    HistoryLog log;
    const HistoryView *history;  // with --history, else NULL
} Job;

static bool read_run(Job *job, Str argument, RunRole role)
{
    return run_source_read(argument, role, job->arena, &job->runs, &job->notices, &job->err);
}

static bool read_listed(Job *job, const char *option, RunRole role)
{
    size_t count = options_list_count(&job->options, option);
    for (size_t i = 0; i < count; i++)
        if (!read_run(job, options_list_item(&job->options, option, i), role))
            return false;
    return true;
}

// Runs without a role: beside a golden one they are targets; of two alone the first is golden.
static RunRole role_of_argument(const Job *job, size_t index)
{
    bool golden = options_given(&job->options, "golden");
    bool target = options_given(&job->options, "target");
    size_t count = job->options.argument_count;
    if (golden)
        return target ? ROLE_SINGLE : ROLE_TARGET_RUN;
    if (target)
        return index == 0 && count == 1 ? ROLE_GOLDEN_RUN : ROLE_SINGLE;
    if (count == 2)
        return index == 0 ? ROLE_GOLDEN_RUN : ROLE_TARGET_RUN;
    return ROLE_SINGLE;
}

static bool read_runs(Job *job)
{
    Str golden = options_text(&job->options, "golden", "");
    if (golden.size && !read_run(job, golden, ROLE_GOLDEN_RUN))
        return false;
    for (size_t i = 0; i < job->options.argument_count; i++)
        if (!read_run(job, job->options.arguments[i], role_of_argument(job, i)))
            return false;
    if (!read_listed(job, "noise", ROLE_NOISE_RUN) || !read_listed(job, "target", ROLE_TARGET_RUN))
        return false;
    if (job->runs.count == 0)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("curves needs a log or table: vernier curves [NAME=]RUN..."));
    runs_name_apart(&job->runs, job->arena);
    return true;
}

static bool read_map(Job *job)
{
    Str path = options_text(&job->options, "name-map", "");
    job->has_map = path.size > 0;
    return !job->has_map || name_map_read(str_cstr(job->arena, path), job->arena, &job->map,
                                          &job->notices, &job->err);
}

static bool read_limits(Job *job)
{
    job->limits = curve_limits;
    return !options_given(&job->options, "limits") ||
           curve_limits_read(options_text(&job->options, "limits", ""), job->arena, &job->limits,
                             &job->err);
}

static bool has_role(const Job *job, RunRole role)
{
    for (size_t i = 0; i < job->runs.count; i++)
        if (job->runs.items[i].role == role)
            return true;
    return false;
}

// An option that could not change anything is refused.
static bool check_options(Job *job)
{
    static const char *const judging[] = {"criterion", "limits"};
    const Options *options = &job->options;
    double smooth = options_number(options, "smooth", 0);
    bool golden = has_role(job, ROLE_GOLDEN_RUN), pair = golden && has_role(job, ROLE_TARGET_RUN);
    if (!isfinite(smooth) || smooth < 0)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--smooth: expected a number from 0"));
    for (size_t i = 0; i < sizeof judging / sizeof *judging; i++)
        if (options_given(options, judging[i]) && !pair)
            return error_set(&job->err, ERR_USAGE, NOWHERE,
                             tr("--%s: judges a target by a golden run; give both"), judging[i]);
    if (options_given(options, "noise") && !golden)
        return error_set(&job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--noise: is the spread of a golden run; give that with --golden"));
    return true;
}

static bool any_has_series(const Job *job, const char *name)
{
    bool any = false;
    for (size_t i = 0; i < job->runs.count && !any; i++)
        any = run_series(&job->runs.items[i], name) != NULL;
    return any;
}

// Series that are asked for and not there; an error if none is.
static bool check_series(Job *job)
{
    Str rest = options_text(&job->options, "series", ""), name;
    size_t found = 0, lacking = 0;
    while (rest.size && str_split(&rest, ',', &name)) {
        const char *wanted = str_cstr(job->arena, str_trim(name));
        bool there = any_has_series(job, wanted);
        found += there;
        lacking += !there;
        if (!there)
            notices_add(&job->notices, NOTICE_WARNING, NOWHERE,
                        tr("--series: no run has a series called '%s'"), wanted);
    }
    return !lacking || found ||
           error_set(&job->err, ERR_INPUT, NOWHERE, "%s",
                     tr("--series: none of these series is there; without it all are drawn"));
}

static Criterion criterion_of(const Options *options)
{
    Str name = options_text(options, "criterion", "long");
    if (str_equal(name, STR("lr0")))
        return CRITERION_LR0;
    return str_equal(name, STR("converged")) ? CRITERION_CONVERGED : CRITERION_LONG;
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    curves_summary_write(context, out);
    return true;
}

static bool parse_range(Job *job, int64_t *first, int64_t *last)
{
    Str text = options_text(&job->options, "range", "");
    *first = INT64_MIN;
    *last = INT64_MAX;
    if (text.size == 0)
        return true;
    size_t dash = str_find_char(text, '-', 1);
    Str low = str_slice(text, 0, dash), high = str_slice(text, dash + 1, text.size);
    bool good = dash != SIZE_MAX && (low.size == 0 || str_to_int64(low, first)) &&
                (high.size == 0 || str_to_int64(high, last)) && *first <= *last;
    return good || error_set(&job->err, ERR_USAGE, NOWHERE,
                             tr("--range: expected A-B, found '" STR_FMT "'"), STR_ARG(text));
}

static bool has_points(const Run *run)
{
    bool any = run->series_count == 0;
    for (size_t i = 0; i < run->series_count; i++)
        any = any || run->series[i].count > 0;
    return any;
}

// Another x and a choice of steps, before anything is judged.
static bool select_points(Job *job)
{
    static const char *const units[] = {"step", "samples", "tokens", "updates"};
    Str unit = options_text(&job->options, "x", "step");
    int64_t first, last;
    if (!parse_range(job, &first, &last))
        return false;
    for (size_t i = 0; i < job->runs.count; i++) {
        Run *run = &job->runs.items[i];
        for (int at = X_STEP; at <= X_UPDATES; at++)
            if (str_equal(unit, str_of(units[at])) && !rekey_run(run, (XUnit)at, job->arena))
                return error_set(&job->err, ERR_INPUT, WHERE_FILE(run->files[0]),
                                 tr("the run does not count its %s; --x step takes its steps"),
                                 units[at]);
        clip_run(run, first, last, job->arena);
        if (!has_points(run))
            return error_set(&job->err, ERR_INPUT, WHERE_FILE(run->files[0]),
                             tr("no point of the run lies in --range " STR_FMT),
                             STR_ARG(options_text(&job->options, "range", "")));
    }
    return true;
}

static double first_value(const Run *run, const char *name)
{
    const Series *series = run_series(run, name);
    return series && series->count ? series->points[0].value : NAN;
}

// What a reader of the numbers has to know of how the runs were joined.
static void note_joining(Job *job)
{
    double batch = NAN;
    bool by_step = str_equal(options_text(&job->options, "x", "step"), STR("step"));
    for (size_t i = 0; i < job->runs.count; i++) {
        const Run *run = &job->runs.items[i];
        double own = first_value(run, "batch_size");
        if (by_step && !isnan(batch) && !isnan(own) && own != batch)
            notices_add(&job->notices, NOTICE_WARNING, WHERE_FILE(run->files[0]), "%s",
                        tr("the runs have different batch sizes but are joined by step; "
                           "--x samples joins them by samples"));
        batch = isnan(batch) ? own : batch;
        if (run->has_overlap && !isnan(run->overlap_difference))
            notices_add(&job->notices, NOTICE_INFO, WHERE_FILE(run->files[0]),
                        tr("steps %lld to %lld were written again; the loss differs by at most %g "
                           "there"),
                        (long long)run->overlap_first, (long long)run->overlap_last,
                        run->overlap_difference);
    }
}

static bool wants_reports(const Outputs *outputs)
{
    return outputs_want(outputs, "html") || outputs_want(outputs, "md");
}

static bool wants_pictures(const Outputs *outputs)
{
    for (size_t i = 0; renderers[i]; i++)
        if ((renderers[i]->write_scene || renderers[i]->write_report) &&
            outputs_want(outputs, renderers[i]->name))
            return true;
    return false;
}

static void write_tables(Job *job)
{
    Str series = options_text(&job->options, "series", "");
    Table *tables[9];
    Table *values = curves_table_values(&job->report, series, job->arena);
    Table *all[] = {curves_table_differences(&job->report, job->arena),
                    curves_table_phases(&job->report, job->arena),
                    curves_table_norms(&job->report, job->arena),
                    curves_table_runs(&job->report, job->arena),
                    curves_table_spikes(&job->report, job->arena),
                    curves_table_events(&job->report, job->arena),
                    values};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && all[i]->row_count)
            tables[count++] = all[i];
    if (job->history)
        tables[count++] = history_table_of_trends(job->history, 0, job->arena);
    outputs_tables(&job->outputs, "xlsx", "curves", true, tables, count);
    outputs_tables(&job->outputs, "csv", "curves", true, &values, 1);
}

// The page has the verdict itself: its pictures go without.
static void write_reports(Job *job, CurvesView *view, const Verdict *norms_own)
{
    Scene picture, norms;
    Report report;
    CurvesPage page = {.version = VERNIER_VERSION,
                       .report = &job->report,
                       .verdict = &job->verdict,
                       .picture = &picture,
                       .notices = &job->notices,
                       .history = job->history,
                       .title = options_text(&job->options, "title", "")};
    view->bare = true;
    curves_picture(view, "curves", job->arena, &picture);
    if (job->report.has_norms) {
        norms_picture(&job->report.norms, norms_own, true, job->arena, &norms);
        page.norms = &norms;
    }
    curves_page_build(&page, job->arena, &report);
    outputs_report(&job->outputs, "html", "index", true, &report);
    curves_ticket_build(&page, job->arena, &report);
    outputs_report(&job->outputs, "md", "summary", true, &report);
}

static void write_outputs(Job *job)
{
    bool timed = job->timed_runs.count > 0;
    CurvesView view = {.report = timed ? &job->timed : &job->report,
                       .verdict = &job->verdict,
                       .series = options_text(&job->options, "series", ""),
                       .smooth = options_number(&job->options, "smooth", NAN),
                       .log_y = options_flag(&job->options, "log-y"),
                       .over_time = timed,
                       .x_unit = timed ? tr("time since the first record")
                                       : tr(job->runs.items[0].x_unit)};
    Scene scene;
    Verdict norms_own = {0};
    write_tables(job);
    if (!wants_pictures(&job->outputs))
        return;
    curves_picture(&view, "curves", job->arena, &scene);
    outputs_scene(&job->outputs, "curves", true, &scene);
    history_log_draw(job->history, &job->verdict, &job->outputs);
    if (job->report.has_norms) {
        norms_verdict(&job->report.norms, job->verdict.partial, job->arena, &norms_own);
        norms_picture(&job->report.norms, &norms_own, false, job->arena, &scene);
        outputs_scene(&job->outputs, "local-norms", false, &scene);
    }
    if (wants_reports(&job->outputs))
        write_reports(job, &view, &norms_own);
}

// Pictures over time show the report as it was judged over steps.
static bool place_in_time(Job *job)
{
    const Run *lacking;
    if (!str_equal(options_text(&job->options, "x", "step"), STR("time")) ||
        curves_over_time(&job->report, job->arena, &job->timed_runs, &job->timed, &lacking))
        return true;
    return error_set(&job->err, ERR_INPUT, WHERE_FILE(lacking->files[0]), "%s",
                     tr("the log has no times and no times of steps; --x step takes its steps"));
}

static ReadTotals count_read(const Runs *runs)
{
    ReadTotals totals = {.rows = true};
    for (size_t i = 0; i < runs->count; i++) {
        const Run *run = &runs->items[i];
        for (size_t k = 0; k < run->file_count; k++)
            totals.bytes += file_size(run->files[k]);
        totals.files += run->file_count;
        for (size_t k = 0; k < run->series_count; k++)
            totals.ops += run->series[k].count;
    }
    return totals;
}

static int finish(Job *job, const ReadTotals *totals, const Console *console)
{
    bool partial = notices_any_partial(&job->notices);
    outputs_note_missing(&job->outputs, &job->notices);
    console_notices(console, &job->notices);
    console_read_line(console, totals, &job->notices);
    console_verdict(console, &job->verdict);
    if (job->outputs.failed)
        return console_error(console, &job->err);
    if (job->log.failed)
        return 5;
    if (job->verdict.style == STYLE_NO_DATA)
        return 3;
    if (options_flag(&job->options, "exit-zero"))
        return 0;
    return curves_beyond(&job->report) ? 1 : partial ? 4 : 0;
}

// The night is called after the last run under question.
static void keep_night(Job *job)
{
    if (!history_wanted(&job->options) || job->verdict.style == STYLE_NO_DATA)
        return;
    HistoryNight tonight = {.verdict = job->verdict.sentence};
    Str label = job->runs.items[job->runs.count - 1].name;
    for (size_t i = 0; i < job->runs.count; i++)
        if (job->runs.items[i].role == ROLE_TARGET_RUN)
            label = job->runs.items[i].name;
    curves_history_facts(&job->report, &job->verdict, job->arena, &tonight);
    job->history =
        history_log_keep(&job->outputs, &job->options, &tonight, label, &job->notices, &job->log);
}

static bool has_loss(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return loss && loss->count;
}

static bool loss_is_compared(const CurveReport *report, const Run *target)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].target == target && str_equal(report->items[i].series, STR("loss")))
            return true;
    return false;
}

// Rates and norms that agree say nothing about a loss that could not be compared.
static void note_losses_left_out(Job *job)
{
    const Run *golden = NULL;
    for (size_t i = 0; i < job->runs.count && !golden; i++)
        golden = job->runs.items[i].role == ROLE_GOLDEN_RUN ? &job->runs.items[i] : NULL;
    for (size_t i = 0; golden && job->report.count && i < job->runs.count; i++) {
        const Run *run = &job->runs.items[i];
        bool any = has_loss(golden) || has_loss(run);
        if (run->role != ROLE_TARGET_RUN || !any || loss_is_compared(&job->report, run))
            continue;
        notices_partial(&job->notices, WHERE_FILE(run->files[0]), "%s",
                        !has_loss(run)      ? tr("golden has a loss, this run has none")
                        : !has_loss(golden) ? tr("golden has no loss to compare with")
                                            : tr("no step at which both have a loss"));
    }
}

// A noise run that tells nothing of the loss leaves the noise unknown; that is not what was asked.
static void note_noise_left_out(Job *job)
{
    for (size_t k = 0; k < job->report.count; k++) {
        const CurveComparison *loss = &job->report.items[k];
        if (!str_equal(loss->series, STR("loss")) || loss->lr0)
            continue;
        for (size_t i = 0; i < job->runs.count; i++) {
            const Run *run = &job->runs.items[i];
            if (run->role == ROLE_NOISE_RUN && !curves_noise_covers(loss, run))
                notices_add(&job->notices, NOTICE_WARNING, WHERE_FILE(run->files[0]),
                            tr("this noise run has too few of the %zu steps at which golden and "
                               "the target have a loss: it is left out"),
                            loss->pair.count);
        }
    }
}

static int curves(Job *job, const Console *console)
{
    static const Redaction folders = {0};
    job->notices.redaction = options_flag(&job->options, "redact") ? &folders : NULL;
    if (!outputs_plan(&job->options, "html,md,json,xlsx,svg,png", outputs_json_only, job->arena,
                      &job->outputs, &job->err) ||
        !read_limits(job) || !read_map(job) || !read_runs(job) || !check_options(job) ||
        !check_series(job) || !select_points(job)) {
        console_notices(console, &job->notices);
        return console_error(console, &job->err);
    }
    ReadTotals totals = count_read(&job->runs);
    redact_runs(&job->runs, job->notices.redaction, job->arena);
    note_joining(job);
    curves_judge(&job->runs, criterion_of(&job->options), &job->limits,
                 job->has_map ? &job->map : NULL, job->arena, &job->report);
    if (job->has_map && !job->report.has_norms)
        notices_add(&job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("--name-map: no pair of runs prints local norms, so it names nothing"));
    if (!place_in_time(job)) {
        console_notices(console, &job->notices);
        return console_error(console, &job->err);
    }
    note_losses_left_out(job);
    note_noise_left_out(job);
    curves_verdict(&job->report, notices_any_partial(&job->notices), job->arena, &job->verdict);
    keep_night(job);
    CurvesSummary summary = {.version = VERNIER_VERSION,
                             .report = &job->report,
                             .verdict = &job->verdict,
                             .notices = &job->notices,
                             .history = job->history};
    write_outputs(job);
    outputs_custom(&job->outputs, "json", "summary.json", true, write_summary, &summary);
    return finish(job, &totals, console);
}

static int run_curves(const CommandCall *call)
{
    Job job = {.arena = call->arena, .options = call->options};
    notices_init(&job.notices, job.arena);
    return curves(&job, &call->console);
}

int command_curves(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_curves, argc, argv, collector);
}
