// SPDX-License-Identifier: Apache-2.0
// vernier monitor: one or two runs of the monitor, and their alarms.
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/history_log.h"
#include "commands/machinery/runner.h"
#include "commands/machinery/watch.h"
#include "commands/monitor_events.h"
#include "export/history/monitor_history.h"
#include "export/summary/monitor_summary.h"
#include "picture/monitor/monitor_ratio.h"
#include "report/curves/monitor_page.h"
#include "report/history/history_tables.h"
#include "trend/monitor/alarm_drift.h"
#include "trend/monitor/alarm_recorded.h"
#include "trend/monitor/monitor_probe.h"
#include "trend/monitor/monitor_ranks.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "DIR", TR("the trusted run"), OPTION_INPUT},
    {"target", 't', OPTION_TEXT, "DIR", TR("the run under question"), OPTION_INPUT},
    {"step", 0, OPTION_TEXT, "LIST", TR("steps to take, e.g. 0,2-5"), 0},
    {"rank", 0, OPTION_TEXT, "LIST", TR("ranks to take, e.g. 0,2-5"), 0},
    TYPE_OPTION,
    {"stat", 0, OPTION_TEXT, "NAME", TR("the statistic that is drawn; default: norm"), 0},
    WATCH_OPTIONS,
    HISTORY_OPTION,
};

static bool make_monitor(const CommandCall *call, Product *out);

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

static uint64_t tree_state(const char *path, Arena *arena, uint64_t state)
{
    MonitorTrees trees = {0};
    Notices unsaid;
    Error err;
    notices_init(&unsaid, arena);
    monitor_find(path, arena, &trees, &unsaid, &err);
    for (size_t i = 0; i < trees.count; i++)
        for (size_t k = 0; k < trees.items[i].series.count; k++)
            state = watch_file_state(trees.items[i].series.items[k].path, state);
    return state;
}

static uint64_t inputs_state(const Options *options, Arena *arena)
{
    static const char *const names[] = {"golden", "target"};
    uint64_t state = 0;
    for (size_t i = 0; i < options->argument_count; i++) {
        Str path;
        split_name(options->arguments[i], &path);
        state = tree_state(str_cstr(arena, path), arena, state);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Str path = options_text(options, names[i], "");
        if (path.size)
            state = tree_state(str_cstr(arena, path), arena, state);
    }
    return state;
}

const CommandSpec monitor_command = {
    .name = "monitor",
    .arguments = "[NAME=]DIR|FILE...",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .state = inputs_state,
    .make = make_monitor,
};

static const OtherFormat other_formats[] = {
    VERDICT_FORMATS,
    {"tensorboard", ""},
    {NULL, NULL},
};

enum { VIEWS_MAX = 16 };

typedef struct MonitorJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Redaction redaction;
    MonitorSelect select;
    MonitorViews views;
    const MonitorTree *trees[VIEWS_MAX];  // by view
    size_t argument_count;
    double read_seconds;
    MonitorPairing pairing;
    MonitorDifferences differences;
    MonitorFigures figures;
    Verdict verdict;
    const HistoryView *history;  // with --history, else NULL
    MonitorSummary summary;
} MonitorJob;

static bool read_selection(MonitorJob *job)
{
    if (!monitor_select_read(job->options, job->arena, &job->select, job->err))
        return false;
    job->select.stat = options_text(job->options, "stat", "");
    return true;
}

// The small files are helpful, not needed: what is wrong with one becomes a notice.
static void read_sides(MonitorJob *job, const MonitorTree *tree, MonitorView *view)
{
    Error err;
    view->rules = monitor_rules_default();
    if (tree->config && !monitor_rules_read(tree->config, &view->rules, &err))
        notices_add_error(job->notices, &err);
    for (size_t i = 0; i < tree->anomalies.count; i++)
        if (!monitor_anomalies_read(tree->anomalies.items[i].path, job->arena, &view->recorded,
                                    job->notices, &err))
            notices_add_error(job->notices, &err);
    for (size_t i = 0; i < tree->stacks.count; i++)
        if (!monitor_stacks_read(tree->stacks.items[i].path, job->arena, &view->stacks,
                                 job->notices, &err))
            notices_add_error(job->notices, &err);
    for (size_t i = 0; i < tree->structs.count; i++)
        if (!monitor_struct_read(tree->structs.items[i].path, job->arena, &view->order, &err))
            notices_add_error(job->notices, &err);
}

static bool scan_tree(MonitorJob *job, const MonitorTree *tree, MonitorView *view)
{
    if (tree->series.count)
        return monitor_scan(tree, &job->select, &view->rules, job->arena, &view->run, &view->alarms,
                            job->notices, job->err);
    if (tree->summaries.count + tree->similarities.count)
        return probe_scan(tree, &job->select, job->arena, &view->run, &view->alarms, job->notices,
                          job->err);
    alarms_of_recorded(view, job->arena);
    return view->alarms.count > 0 || error_set(job->err, ERR_INPUT, WHERE_FILE(tree->base), "%s",
                                               tr("no monitor files below this folder"));
}

// A rank that is off by itself, though the others agree.
static void tell_rank(MonitorJob *job, const MonitorView *view)
{
    MonitorRankApart apart;
    char number[NUMBER_BYTES];
    if (!monitor_rank_apart(&view->run, &apart))
        return;
    number_significant(apart.ratio, 3, number);
    notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                tr("rank %lld differs from the other ranks, which agree: norm of " STR_FMT
                   " " STR_FMT " is %s times theirs from step %lld on (%zu of %zu names)"),
                (long long)apart.rank, STR_ARG(apart.type), STR_ARG(apart.name), number,
                (long long)apart.step, apart.names, apart.common);
}

// Which line of the code the module of the first alarm is called from.
static void tell_stack(MonitorJob *job, const MonitorView *view)
{
    const Alarm *first = alarms_first(&view->alarms);
    const MonitorStack *stack = alarm_stack(&view->stacks, first);
    Str frame = stack ? stack_frame(stack->text) : STR("");
    if (frame.size)
        notices_add(job->notices, NOTICE_TOLD, NOWHERE,
                    tr("the module of the first alarm, " STR_FMT ", is called from " STR_FMT),
                    STR_ARG(stack->module), STR_ARG(frame));
}

static bool looks_for_nan(const MonitorRules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->items[i].turbulence)
            return true;
    return false;
}

static bool read_tree(MonitorJob *job, const MonitorTree *tree, Str name)
{
    if (job->views.count == VIEWS_MAX)
        return error_set(job->err, ERR_INPUT, WHERE_FILE(tree->base),
                         tr("more than %d runs at once; this one is left out"), VIEWS_MAX);
    job->trees[job->views.count] = tree;
    MonitorView *view = ARRAY_PUSH(job->arena, &job->views);
    read_sides(job, tree, view);
    if (!scan_tree(job, tree, view)) {
        job->views.count--;
        return false;
    }
    view->run.name = name;
    Str shown = redact_path(job->notices->redaction, str_of(tree->base), job->arena);
    view->run.path = str_cstr(job->arena, shown);
    for (size_t i = 0; i < view->stacks.count; i++)
        view->stacks.items[i].text =
            redact_text(job->notices->redaction, view->stacks.items[i].text, job->arena);
    if (tree->series.count)
        alarms_add_drift(&view->run, !looks_for_nan(&view->rules), job->select.jobs, &view->alarms);
    alarms_take_order(&view->alarms, view->order.count ? &view->order : &view->stacks);
    alarms_rank(&view->alarms);
    tell_stack(job, view);
    tell_rank(job, view);
    for (size_t i = 0; i < view->run.series_count; i++)
        view->quantised_series += view->run.series[i].quantised;
    return true;
}

// With --redact a folder is known by the name it was given, or by its number.
static Str redact_argument(MonitorJob *job, Str argument, Str path, Str name)
{
    if (!options_flag(job->options, "redact"))
        return name;
    if (path.data == argument.data)
        name = str_printf(job->arena, "run%zu", job->argument_count + 1);
    redact_add(&job->redaction, job->arena, path, name);
    job->notices->redaction = &job->redaction;
    return name;
}

static bool is_of_one_kind(const MonitorTree *tree, bool *renamed)
{
    const MonitorFiles *series = &tree->series;
    for (size_t i = 0; i < series->count; i++) {
        *renamed = *renamed || series->items[i].renamed;
        if (!str_equal(series->items[i].kind, series->items[0].kind))
            return false;
    }
    return series->count > 0;
}

// A table under another name, next to another table, holds the same kind of values.
static void take_kind(const MonitorJob *job, MonitorTree *tree)
{
    bool renamed = false;
    if (job->views.count != 1 || !is_of_one_kind(tree, &renamed) ||
        !is_of_one_kind(job->trees[0], &renamed) || !renamed)
        return;
    for (size_t i = 0; i < tree->series.count; i++)
        tree->series.items[i].kind = job->trees[0]->series.items[0].kind;
}

// Several trees of one argument are named by their folders.
static bool read_trees(MonitorJob *job, const MonitorTrees *trees, Str name, Str path)
{
    size_t before = job->views.count;
    for (size_t i = 0; i < trees->count; i++) {
        Str base = str_of(trees->items[i].base);
        Str shown = trees->count == 1 || base.size <= path.size
                        ? name
                        : str_printf(job->arena, STR_FMT "/" STR_FMT, STR_ARG(name),
                                     STR_ARG(path_base(base)));
        take_kind(job, &trees->items[i]);
        bool good = read_tree(job, &trees->items[i], shown);
        bool all_failed = i + 1 == trees->count && job->views.count == before;
        if (!good && !all_failed)  // else the call ends with this error
            notices_add_error(job->notices, job->err);
    }
    return job->views.count > before;
}

static bool is_table(const MonitorJob *job, size_t argument)
{
    return monitor_file_named(str_cstr(job->arena, job->options->arguments[argument]));
}

// Files without a name of their own, as a shell lists them: those of one folder are one run, which
// has the name of its folder.
static bool read_tables(MonitorJob *job)
{
    size_t count = 0;
    MonitorTrees trees = {0};
    const char **paths = ARENA_ARRAY(job->arena, const char *, job->options->argument_count + 1);
    for (size_t i = 0; i < job->options->argument_count; i++)
        if (is_table(job, i))
            paths[count++] = str_cstr(job->arena, job->options->arguments[i]);
    monitor_find_files(paths, count, job->arena, &trees, job->notices);
    size_t before = job->views.count;
    for (size_t i = 0; i < trees.count; i++) {
        Str base = str_of(trees.items[i].base);
        bool nameless = STR_IN(base, ".", "..", "/");
        Str name = path_base(nameless ? str_of(paths[0]) : base);
        MonitorTrees one = {.items = &trees.items[i], .count = 1};
        name = redact_argument(job, base, base, name);
        job->argument_count++;
        if (!read_trees(job, &one, name, base) && i + 1 < trees.count)
            notices_add_error(job->notices, job->err);
    }
    return job->views.count > before;
}

static bool read_argument(MonitorJob *job, Str argument)
{
    Str path;
    Str name = split_name(argument, &path);
    name = redact_argument(job, argument, path, name);
    MonitorTrees trees = {0};
    job->argument_count++;
    if (!monitor_find(str_cstr(job->arena, path), job->arena, &trees, job->notices, job->err))
        return false;
    return read_trees(job, &trees, name, path);
}

static bool read_arguments(MonitorJob *job)
{
    Str golden = options_text(job->options, "golden", "");
    Str target = options_text(job->options, "target", "");
    // One that stands without a role next to the target is golden.
    bool before = golden.size > 0;
    if ((before && !read_argument(job, golden)) ||
        (before && target.size && !read_argument(job, target)))
        return false;
    size_t tables = 0;
    for (size_t i = 0; i < job->options->argument_count; i++)
        tables += is_table(job, i);
    for (size_t i = 0, seen = 0; i < job->options->argument_count; i++) {
        bool table = tables > 1 && is_table(job, i);
        seen += table;
        if (table ? seen == 1 && !read_tables(job)
                  : !read_argument(job, job->options->arguments[i]))
            return false;
    }
    if (!before && target.size && !read_argument(job, target))
        return false;
    if (job->views.count == 0)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("monitor needs a folder or CSV files: vernier monitor [NAME=]DIR..."));
    return true;
}

static bool write_analyse(void *context, Sink *out, Error *err)
{
    (void)err;
    monitor_analyse_write(context, out);
    return true;
}

// Two arguments with one tree each are golden and target.
static bool two_runs(const MonitorJob *job)
{
    return job->argument_count == 2 && job->views.count == 2;
}

static void add_json(MonitorJob *job, Product *out)
{
    job->summary = (MonitorSummary){.version = VERNIER_VERSION,
                                    .views = &job->views,
                                    .verdict = &job->verdict,
                                    .differences = two_runs(job) ? &job->differences : NULL,
                                    .notices = job->notices,
                                    .history = job->history};
    product_facts(out, monitor_summary_write, &job->summary);
    for (size_t i = 0; i < job->views.count; i++) {
        Str file = i == 0 ? STR("anomaly_analyse.json")
                          : str_printf(job->arena, "anomaly_analyse-%zu.json", i + 1);
        product_file(out, "json", file, false, write_analyse, &job->views.items[i]);
    }
}

static void note_missing(MonitorJob *job, bool in_golden)
{
    const MonitorMissing *first = NULL;
    size_t count = 0;
    bool lost = false;
    for (size_t i = 0; i < job->differences.missing_count; i++) {
        const MonitorMissing *missing = &job->differences.missing[i];
        if (missing->in_golden != in_golden)
            continue;
        first = first ? first : missing;
        count += missing->objects;
        lost = lost || (in_golden && missing->name.size);
    }
    if (!first)
        return;
    Str text = str_printf(job->arena,
                          tr_count(count, STR_FMT " alone has %zu name: " STR_FMT,
                                   STR_FMT " alone has %zu names, first " STR_FMT),
                          STR_ARG(job->views.items[in_golden ? 0 : 1].run.name), count,
                          STR_ARG(first->name.size ? first->name : first->type));
    // That the target collects no such metric at all is a setting of its monitor; that it does not
    // have a name of golden's loses more than rows of that name would.
    if (lost)
        notices_partial(job->notices, NOWHERE, STR_FMT, STR_ARG(text));
    else
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, STR_FMT, STR_ARG(text));
}

// Of so many a twentieth.
static bool is_much(size_t part, size_t whole)
{
    return 20 * part > whole;
}

// Values that one run alone has at steps that both recorded.
static void note_lost(MonitorJob *job)
{
    const MonitorApart *apart = &job->views.apart;
    Str text = str_printf(job->arena,
                          tr("%zu of %zu values are in one run only, at steps that both recorded"),
                          apart->one_sided, apart->told);
    if (is_much(apart->one_sided, apart->told))
        notices_partial(job->notices, NOWHERE, STR_FMT, STR_ARG(text));
    else if (apart->one_sided)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, STR_FMT, STR_ARG(text));
}

// A run that begins before the other or ends after it was not compared whole.
static void note_span(MonitorJob *job, const MonitorRun *of, const MonitorRun *in)
{
    if (of->step_count == 0 || in->step_count == 0)
        return;
    int64_t first = in->steps[0], last = in->steps[in->step_count - 1];
    size_t outside = 0;
    for (size_t i = 0; i < of->step_count; i++)
        outside += of->steps[i] < first || of->steps[i] > last;
    if (is_much(outside, of->step_count))
        notices_partial(job->notices, NOWHERE,
                        tr(STR_FMT " has steps %lld to %lld, " STR_FMT
                                   " %lld to %lld: %zu of %zu steps are not compared"),
                        STR_ARG(of->name), (long long)of->steps[0],
                        (long long)of->steps[of->step_count - 1], STR_ARG(in->name),
                        (long long)first, (long long)last, outside, of->step_count);
}

// Ranks that one run alone has: a monitor may be told to watch some.
static void note_ranks(MonitorJob *job, const MonitorRun *of, const MonitorRun *in)
{
    size_t alone = 0;
    int64_t first = 0;
    for (size_t i = 0, k = 0; i < of->rank_count; i++) {
        while (k < in->rank_count && in->ranks[k] < of->ranks[i])
            k++;
        if (k < in->rank_count && in->ranks[k] == of->ranks[i])
            continue;
        first = alone++ ? first : of->ranks[i];
    }
    if (alone)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                    tr_count(alone, STR_FMT " alone has %zu rank: %lld",
                             STR_FMT " alone has %zu ranks, first %lld"),
                    STR_ARG(of->name), alone, (long long)first);
}

static void note_not_held(MonitorJob *job)
{
    const MonitorApart *apart = &job->views.apart;
    if (job->pairing.matched == 0)
        notices_partial(job->notices, NOWHERE, "%s",
                        tr("no series of the two runs has the same type, rank and name"));
    else if (apart->objects == 0)
        notices_partial(job->notices, NOWHERE, "%s",
                        tr("no norm and no other magnitude has enough values at steps of both "
                           "runs: the runs are not "
                           "compared with each other"));
}

static void pair_runs(MonitorJob *job)
{
    if (job->views.count > 1 && !two_runs(job))
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("of more than two runs each is held to its own history alone"));
    if (!two_runs(job))
        return;
    command_note_one_side(job->trees[0]->base, job->trees[1]->base, job->notices);
    monitor_pair(&job->views.items[0].run, &job->views.items[1].run, job->arena, &job->pairing);
    monitor_differences(&job->pairing, job->arena, &job->differences);
    monitor_apart(&job->pairing, &job->views.apart);
    note_not_held(job);
    note_lost(job);
    for (int side = 0; side < 2 && job->pairing.matched; side++) {
        const MonitorRun *of = &job->views.items[side].run, *in = &job->views.items[1 - side].run;
        note_span(job, of, in);
        note_ranks(job, of, in);
        note_missing(job, side == 0);
    }
}

static void add_pictures(MonitorJob *job, Product *out)
{
    if (!outputs_want_pictures(job->outputs))
        return;
    monitor_figures(&job->views, &job->verdict, job->arena, &job->figures);
    if (two_runs(job) && job->pairing.matched)
        monitor_ratio_figures(&job->pairing, &job->verdict, job->arena, &job->figures);
    for (size_t i = 0; i < job->figures.count; i++)
        product_picture(out, job->figures.items[i].file, job->figures.items[i].main,
                        job->figures.items[i].scene);
}

static void add_pages(MonitorJob *job, Product *out)
{
    MonitorPage *page = ARENA_NEW(job->arena, MonitorPage);
    *page = (MonitorPage){.views = &job->views,
                          .verdict = &job->verdict,
                          .figures = &job->figures,
                          .differences = two_runs(job) ? &job->differences : NULL,
                          .notices = job->notices,
                          .version = VERNIER_VERSION,
                          .history = job->history,
                          .title = options_text(job->options, "title", "")};
    Report *report = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    monitor_page(page, job->arena, report);
    monitor_ticket(page, job->arena, ticket);
    product_page(out, report, "report");
    product_ticket(out, ticket, "summary");
}

enum { BOOK_VALUES_MAX = 300000 };

static void add_tables(MonitorJob *job, Product *out)
{
    Table *sheets[8], *missing = NULL;
    size_t count = 0;
    if (!outputs_want_books(job->outputs) && !outputs_want_sheets(job->outputs))
        return;
    Table *values = monitor_table_values(&job->views, job->arena);
    sheets[count++] = monitor_table_alarms(&job->views, 100000, job->arena);
    sheets[count++] = monitor_table_runs(&job->views, job->arena);
    if (two_runs(job))
        sheets[count++] = monitor_table_differences(&job->differences, job->arena);
    if (two_runs(job))
        missing = monitor_table_missing(&job->views, &job->differences, 100000, job->arena);
    if (missing)
        sheets[count++] = missing;
    sheets[count++] = monitor_table_series(&job->views, job->arena);
    if (values->row_count <= BOOK_VALUES_MAX)
        sheets[count++] = values;
    sheets[count++] = monitor_table_rules(&job->views, job->arena);
    if (job->history)
        sheets[count++] = history_table_of_trends(job->history, 0, job->arena);
    product_book(out, STR("monitor"), true, sheets, count);
    product_sheet(out, STR("alarms"), false, sheets[0]);
    product_sheet(out, STR("values"), true, values);
}

static void write_events(void *context, Outputs *outputs)
{
    const MonitorJob *job = context;
    for (size_t i = 0; i < job->views.count; i++) {
        const MonitorView *view = &job->views.items[i];
        MonitorExport export = {.tree = job->trees[i],
                                .select = &job->select,
                                .ranks = view->run.ranks,
                                .rank_count = view->run.rank_count,
                                .run = job->views.count > 1 ? view->run.name : STR("")};
        if (job->trees[i]->series.count)
            monitor_events_write(&export, outputs);
    }
}

static ReadTotals count_read(const MonitorJob *job)
{
    ReadTotals totals = {.rows = true, .seconds = job->read_seconds};
    for (size_t i = 0; i < job->views.count; i++) {
        totals.files += job->views.items[i].run.file_count;
        totals.bytes += job->views.items[i].run.byte_count;
        totals.ops += job->views.items[i].run.row_count;
    }
    return totals;
}

// The trees keep their folders: event files are written from them.
static void redact(MonitorJob *job)
{
    const Redaction *folders = job->notices->redaction;
    for (size_t i = 0; folders && i < job->views.count; i++) {
        MonitorView *view = &job->views.items[i];
        view->run.path =
            str_cstr(job->arena, redact_path(folders, str_of(view->run.path), job->arena));
        for (size_t k = 0; k < view->stacks.count; k++) {
            MonitorStack *stack = &view->stacks.items[k];
            stack->text = redact_text(folders, stack->text, job->arena);
        }
    }
}

static Str tell(const void *of, Arena *arena)
{
    const MonitorJob *job = of;
    Verdict verdict;
    monitor_verdict(&job->views, notices_any_partial(job->notices), arena, &verdict);
    return verdict.sentence;
}

// The night is called after the last run.
static void keep_night(MonitorJob *job, Product *out)
{
    HistoryNight tonight = {0};
    if (!history_wanted(job->options))
        return;
    monitor_history_facts(&job->views, &job->verdict, job->arena, &tonight);
    Str label = job->views.items[job->views.count - 1].run.name;
    job->history = history_log_keep(job->options, &tonight, label, tell, job, out);
}

static void produce(MonitorJob *job, Product *out)
{
    add_pictures(job, out);
    history_log_draw(job->history, &job->verdict, out);
    add_json(job, out);
    add_pages(job, out);
    add_tables(job, out);
    product_emit(out, write_events, job);
    out->verdict = job->verdict;
    out->read = count_read(job);
    out->tells_read = true;
    out->status = monitor_status(&job->views) >= MONITOR_APART ? PRODUCT_DIFFERS : PRODUCT_AGREES;
}

static bool make_monitor(const CommandCall *call, Product *out)
{
    MonitorJob *job = ARENA_NEW(call->arena, MonitorJob);
    *job = (MonitorJob){.arena = call->arena,
                        .options = call->options,
                        .outputs = call->outputs,
                        .notices = call->notices,
                        .err = call->err};
    double started = console_now();
    if (!watch_check(job->options, job->err) || !read_selection(job) ||
        !outputs_plan(job->options, other_formats, job->arena, job->outputs, job->err) ||
        !read_arguments(job))
        return false;
    job->read_seconds = console_now() - started;
    redact(job);
    pair_runs(job);
    monitor_verdict(&job->views, notices_any_partial(job->notices), job->arena, &job->verdict);
    keep_night(job, out);
    produce(job, out);
    return true;
}
