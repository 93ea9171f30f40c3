// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/history_log.h"
#include "commands/monitor_events.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "layout/history_tables.h"
#include "layout/monitor_history.h"
#include "layout/monitor_page.h"
#include "layout/monitor_ratio.h"
#include "trend/alarm_drift.h"
#include "trend/monitor_probe.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "DIR",  TR("the trusted run")                           },
    {"target", 't', OPTION_TEXT, "DIR",  TR("the run under question")                    },
    {"step",   0,   OPTION_TEXT, "LIST", TR("steps to take, e.g. 0,2-5")                 },
    {"rank",   0,   OPTION_TEXT, "LIST", TR("ranks to take, e.g. 0,2-5")                 },
    {"type",   0,   OPTION_TEXT, "LIST", TR("data types to take, e.g. grad_reduced,actv")},
    {"stat",   0,   OPTION_TEXT, "NAME", TR("the statistic that is drawn; default: norm")},
    HISTORY_OPTION,
};

static const char *const examples[] = {
    "vernier monitor monitor_output/",
    TR("heat maps, alarms and tables of one run in vernier-monitor/"),
    "vernier monitor gpu=out_gpu/ npu=out_npu/ -o charts/",
    TR("two runs beside each other and their ratio"),
    NULL,
};

static const CommandSpec command = {
    .name = "monitor",
    .arguments = "[NAME=]DIR...",
    .purpose = TR("Draws what a training monitor recorded and says where it went wrong first."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

static const OtherFormat other_formats[] = {
    {"json",        ".json"},
    {"tensorboard", ""     },
    {NULL,          NULL   },
};

enum { VIEWS_MAX = 16 };

typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Redaction redaction;
    NumberList steps, ranks;
    MonitorSelect select;
    MonitorViews views;
    const MonitorTree *trees[VIEWS_MAX];  // by view
    size_t argument_count;
    double read_seconds;
    MonitorPairing pairing;
    MonitorDifferences differences;
    MonitorFigures figures;
    Verdict verdict;
    HistoryLog log;
    const HistoryView *history;  // with --history, else NULL
} Run;

static bool read_selection(Run *run)
{
    if (!options_numbers(&run->options, "step", run->arena, &run->steps, &run->err) ||
        !options_numbers(&run->options, "rank", run->arena, &run->ranks, &run->err))
        return false;
    Str rest = options_text(&run->options, "type", ""), part;
    Str *types = ARENA_ARRAY(run->arena, Str, rest.size + 1);
    size_t count = 0;
    while (rest.size && str_split(&rest, ',', &part))
        if (str_trim(part).size)
            types[count++] = str_trim(part);
    run->select = (MonitorSelect){
        .steps = &run->steps,
        .ranks = &run->ranks,
        .types = types,
        .type_count = count,
        .stat = options_text(&run->options, "stat", ""),
        .jobs = (int)options_count(&run->options, "jobs", threads_default_jobs()),
    };
    return true;
}

// The small files are helpful, not needed: what is wrong with one becomes a notice.
static void read_sides(Run *run, const MonitorTree *tree, MonitorView *view)
{
    Error err;
    view->rules = monitor_rules_default();
    if (tree->config && !monitor_rules_read(tree->config, &view->rules, &err))
        notices_add_error(&run->notices, &err);
    for (size_t i = 0; i < tree->anomalies.count; i++)
        if (!monitor_anomalies_read(tree->anomalies.items[i].path, run->arena, &view->recorded,
                                    &run->notices, &err))
            notices_add_error(&run->notices, &err);
    for (size_t i = 0; i < tree->stacks.count; i++)
        if (!monitor_stacks_read(tree->stacks.items[i].path, run->arena, &view->stacks,
                                 &run->notices, &err))
            notices_add_error(&run->notices, &err);
}

static bool looks_for_nan(const MonitorRules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->items[i].turbulence)
            return true;
    return false;
}

// Of exactly two arguments the first is golden; the trees of the second are read against it.
static const MonitorTree *golden_tree(const Run *run)
{
    size_t arguments = run->options.argument_count + options_given(&run->options, "golden") +
                       options_given(&run->options, "target");
    bool second = arguments == 2 && run->argument_count == 2 && run->views.count == 2;
    return second ? run->trees[0] : NULL;
}

static bool read_tree(Run *run, const MonitorTree *tree, Str name)
{
    if (run->views.count == VIEWS_MAX)
        return error_set(&run->err, ERR_INPUT, WHERE_FILE(tree->base),
                         tr("more than %d runs at once; this one is left out"), VIEWS_MAX);
    run->trees[run->views.count] = tree;
    MonitorView *view = ARRAY_PUSH(run->arena, &run->views);
    read_sides(run, tree, view);
    bool good = tree->series.count
                    ? monitor_scan(tree, &run->select, &view->rules, run->arena, &view->run,
                                   &view->alarms, &run->notices, &run->err)
                    : probe_scan(tree, golden_tree(run), &run->select, run->arena, &view->run,
                                 &view->alarms, &run->notices, &run->err);
    if (!good) {
        run->views.count--;
        return false;
    }
    view->run.name = name;
    Str shown = redact_path(run->notices.redaction, str_of(tree->base), run->arena);
    view->run.path = str_cstr(run->arena, shown);
    for (size_t i = 0; i < view->stacks.count; i++)
        view->stacks.items[i].text =
            redact_text(run->notices.redaction, view->stacks.items[i].text, run->arena);
    if (tree->series.count)
        alarms_add_drift(&view->run, !looks_for_nan(&view->rules), run->select.jobs, &view->alarms);
    alarms_rank(&view->alarms);
    for (size_t i = 0; i < view->run.series_count; i++)
        view->quantised_series += view->run.series[i].quantised;
    return true;
}

// "NAME=DIR", or DIR named by its last part. A name holds no slash.
static Str split_name(Str argument, Str *path)
{
    size_t equals = str_find_char(argument, '=', 0);
    Str name = str_slice(argument, 0, equals);
    if (equals != SIZE_MAX && name.size && str_find_char(name, '/', 0) == SIZE_MAX) {
        *path = str_slice(argument, equals + 1, argument.size);
        return name;
    }
    *path = argument;
    return path_base(argument);
}

// With --redact a folder is known by the name it was given, or by its number.
static Str redact_argument(Run *run, Str argument, Str path, Str name)
{
    if (!options_flag(&run->options, "redact"))
        return name;
    if (path.data == argument.data)
        name = str_printf(run->arena, "run%zu", run->argument_count + 1);
    redact_add(&run->redaction, run->arena, path, name);
    run->notices.redaction = &run->redaction;
    return name;
}

static bool read_argument(Run *run, Str argument)
{
    Str path;
    Str name = split_name(argument, &path);
    name = redact_argument(run, argument, path, name);
    MonitorTrees trees = {0};
    run->argument_count++;
    if (!monitor_find(str_cstr(run->arena, path), run->arena, &trees, &run->notices, &run->err))
        return false;
    size_t before = run->views.count;
    for (size_t i = 0; i < trees.count; i++) {
        Str base = str_of(trees.items[i].base);
        Str shown = trees.count == 1 || base.size <= path.size
                        ? name
                        : str_printf(run->arena, STR_FMT "/" STR_FMT, STR_ARG(name),
                                     STR_ARG(path_base(base)));
        bool good = read_tree(run, &trees.items[i], shown);
        bool all_failed = i + 1 == trees.count && run->views.count == before;
        if (!good && !all_failed)  // else the call ends with this error
            notices_add_error(&run->notices, &run->err);
    }
    return run->views.count > before;
}

static bool read_arguments(Run *run)
{
    Str sides[2] = {options_text(&run->options, "golden", ""),
                    options_text(&run->options, "target", "")};
    for (size_t i = 0; i < 2; i++)
        if (sides[i].size && !read_argument(run, sides[i]))
            return false;
    for (size_t i = 0; i < run->options.argument_count; i++)
        if (!read_argument(run, run->options.arguments[i]))
            return false;
    if (run->views.count == 0)
        return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                         tr("monitor needs a folder: vernier monitor [NAME=]DIR..."));
    return true;
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    monitor_summary_write(context, out);
    return true;
}

static bool write_analyse(void *context, Sink *out, Error *err)
{
    (void)err;
    monitor_analyse_write(context, out);
    return true;
}

// Two arguments with one tree each are golden and target.
static bool two_runs(const Run *run)
{
    return run->argument_count == 2 && run->views.count == 2;
}

static void write_json(Run *run)
{
    MonitorSummary summary = {.version = VERNIER_VERSION,
                              .views = &run->views,
                              .verdict = &run->verdict,
                              .differences = two_runs(run) ? &run->differences : NULL,
                              .notices = &run->notices,
                              .history = run->history};
    outputs_custom(&run->outputs, "json", "summary.json", true, write_summary, &summary);
    for (size_t i = 0; i < run->views.count; i++) {
        const char *file = i == 0 ? "anomaly_analyse.json"
                                  : str_printf(run->arena, "anomaly_analyse-%zu.json", i + 1).data;
        outputs_custom(&run->outputs, "json", file, false, write_analyse, &run->views.items[i]);
    }
}

static void pair_runs(Run *run)
{
    if (!two_runs(run))
        return;
    monitor_pair(&run->views.items[0].run, &run->views.items[1].run, run->arena, &run->pairing);
    monitor_differences(&run->pairing, run->arena, &run->differences);
    if (run->pairing.matched == 0)
        notices_add(&run->notices, NOTICE_WARNING, NOWHERE,
                    tr("no series of the two runs has the same type, rank and name"));
}

static void draw_figures(Run *run)
{
    Outputs *outputs = &run->outputs;
    if (!outputs_want(outputs, "svg") && !outputs_want(outputs, "png") &&
        !outputs_want(outputs, "pdf") && !outputs_want(outputs, "html") &&
        !outputs_want(outputs, "md"))
        return;
    monitor_figures(&run->views, &run->verdict, run->arena, &run->figures);
    if (two_runs(run) && run->pairing.matched)
        monitor_ratio_figures(&run->pairing, &run->verdict, run->arena, &run->figures);
    for (size_t i = 0; i < run->figures.count; i++)
        outputs_scene(outputs, str_cstr(run->arena, run->figures.items[i].file),
                      run->figures.items[i].main, run->figures.items[i].scene);
}

static void write_pages(Run *run)
{
    MonitorPage page = {.views = &run->views,
                        .verdict = &run->verdict,
                        .figures = &run->figures,
                        .differences = two_runs(run) ? &run->differences : NULL,
                        .notices = &run->notices,
                        .version = VERNIER_VERSION,
                        .history = run->history,
                        .title = options_text(&run->options, "title", "")};
    Report report, ticket;
    monitor_page(&page, run->arena, &report);
    monitor_ticket(&page, run->arena, &ticket);
    outputs_report(&run->outputs, "html", "index", true, &report);
    outputs_report(&run->outputs, "pdf", "report", true, &report);
    outputs_report(&run->outputs, "md", "summary", true, &ticket);
}

enum { BOOK_VALUES_MAX = 300000 };

static void write_tables(Run *run)
{
    Table *sheets[8], *missing = NULL;
    size_t count = 0;
    if (!outputs_want(&run->outputs, "xlsx") && !outputs_want(&run->outputs, "csv"))
        return;
    Table *values = monitor_table_values(&run->views, run->arena);
    sheets[count++] = monitor_table_alarms(&run->views, 100000, run->arena);
    sheets[count++] = monitor_table_runs(&run->views, run->arena);
    if (two_runs(run))
        sheets[count++] = monitor_table_differences(&run->differences, run->arena);
    if (two_runs(run))
        missing = monitor_table_missing(&run->views, &run->differences, 100000, run->arena);
    if (missing)
        sheets[count++] = missing;
    sheets[count++] = monitor_table_series(&run->views, run->arena);
    if (values->row_count <= BOOK_VALUES_MAX)
        sheets[count++] = values;
    sheets[count++] = monitor_table_rules(&run->views, run->arena);
    if (run->history)
        sheets[count++] = history_table_of_trends(run->history, 0, run->arena);
    outputs_tables(&run->outputs, "xlsx", "monitor", true, sheets, count);
    outputs_tables(&run->outputs, "csv", "alarms", false, sheets, 1);
    outputs_tables(&run->outputs, "csv", "values", true, &values, 1);
}

static void write_events(Run *run)
{
    for (size_t i = 0; i < run->views.count; i++) {
        const MonitorView *view = &run->views.items[i];
        MonitorExport export = {.tree = run->trees[i],
                                .select = &run->select,
                                .ranks = view->run.ranks,
                                .rank_count = view->run.rank_count,
                                .run = run->views.count > 1 ? view->run.name : STR("")};
        if (run->trees[i]->series.count)
            monitor_events_write(&export, &run->outputs);
    }
}

static int finish(Run *run, const Console *console)
{
    bool partial = notices_any_partial(&run->notices);
    ReadTotals totals = {.rows = true, .seconds = run->read_seconds};
    for (size_t i = 0; i < run->views.count; i++) {
        totals.files += run->views.items[i].run.file_count;
        totals.bytes += run->views.items[i].run.byte_count;
        totals.ops += run->views.items[i].run.row_count;
    }
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_read_line(console, &totals, &run->notices);
    console_verdict(console, &run->verdict);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->log.failed)
        return 5;
    if (options_flag(&run->options, "exit-zero"))
        return 0;
    return monitor_status(&run->views) == MONITOR_ALARM ? 1 : partial ? 4 : 0;
}

// The trees keep their folders: event files are written from them.
static void redact(Run *run)
{
    const Redaction *folders = run->notices.redaction;
    for (size_t i = 0; folders && i < run->views.count; i++) {
        MonitorView *view = &run->views.items[i];
        view->run.path =
            str_cstr(run->arena, redact_path(folders, str_of(view->run.path), run->arena));
        for (size_t k = 0; k < view->stacks.count; k++) {
            MonitorStack *stack = &view->stacks.items[k];
            stack->text = redact_text(folders, stack->text, run->arena);
        }
    }
}

// The night is called after the last run.
static void keep_night(Run *run)
{
    HistoryNight tonight = {.verdict = run->verdict.sentence};
    if (!history_wanted(&run->options))
        return;
    monitor_history_facts(&run->views, &run->verdict, run->arena, &tonight);
    run->history =
        history_log_keep(&run->outputs, &run->options, &tonight,
                         run->views.items[run->views.count - 1].run.name, &run->notices, &run->log);
}

static int monitor(Run *run, const Console *console)
{
    static const Redaction folders = {0};
    run->notices.redaction = options_flag(&run->options, "redact") ? &folders : NULL;
    if (!read_selection(run) ||
        !outputs_plan(&run->options, "html,md,json,xlsx,svg,png", other_formats, run->arena,
                      &run->outputs, &run->err) ||
        !read_arguments(run)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    run->read_seconds = console_seconds(console);
    redact(run);
    pair_runs(run);
    monitor_verdict(&run->views, notices_any_partial(&run->notices), run->arena, &run->verdict);
    keep_night(run);
    draw_figures(run);
    history_log_draw(run->history, &run->verdict, &run->outputs);
    write_json(run);
    write_pages(run);
    write_tables(run);
    write_events(run);
    return finish(run, console);
}

static int run_monitor(const CommandCall *call)
{
    Run run = {.arena = call->arena, .options = call->options};
    notices_init(&run.notices, run.arena);
    return monitor(&run, &call->console);
}

int command_monitor(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_monitor, argc, argv, collector);
}
