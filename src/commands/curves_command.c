// SPDX-License-Identifier: Apache-2.0
// vernier curves: runs by their roles, judged, drawn and told.
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number_list.h"
#include "base/shell_word.h"
#include "base/spelling.h"
#include "base/words.h"
#include "commands/curves_batches.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/history_log.h"
#include "commands/machinery/input_kind.h"
#include "commands/machinery/log_options.h"
#include "commands/machinery/redact_runs.h"
#include "commands/machinery/runner.h"
#include "commands/machinery/watch.h"
#include "export/history/curves_history.h"
#include "export/summary/curves_summary.h"
#include "model/run/rekey.h"
#include "model/run/run_source.h"
#include "picture/curves/curves_multiples.h"
#include "picture/curves/curves_picture.h"
#include "picture/curves/norms_picture.h"
#include "read/log/series_name.h"
#include "read/monitor/monitor_files.h"
#include "report/curves/curves_page.h"
#include "report/curves/curves_tables.h"
#include "report/history/history_tables.h"
#include "trend/curves/over_time.h"
#include "trend/curves/renumber.h"
#include "verdict/curves_coverage.h"
#include "verdict/curves_verdict.h"
#include "verdict/norms_verdict.h"
#include "verdict/sentence.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "RUN", TR("the trusted run"), OPTION_INPUT},
    {"target", 't', OPTION_LIST, "RUN", TR("a run under question"), OPTION_INPUT},
    {"noise", 0, OPTION_LIST, "RUN",
     TR("another run of the golden configuration: measures the noise"),
     OPTION_INPUT | OPTION_SETTING | OPTION_JUDGES},
    {"criterion", 0, OPTION_CHOICE, "lr0|long|converged",
     TR("what decides: learning rate 0, a long run, or its end"), OPTION_SETTING | OPTION_JUDGES},
    {"limits", 0, OPTION_TEXT, "LIST",
     TR("other limits, by the names of 'vernier help rules': ABSOLUTE=0.05,MEAN=2"),
     OPTION_SETTING | OPTION_JUDGES},
    {"exact", 0, OPTION_FLAG, NULL, TR("any difference of a compared series is beyond tolerance"),
     OPTION_SETTING | OPTION_JUDGES},
    {"digits", 0, OPTION_NUMBER, "N",
     TR("with --exact: the leading digits that count; default: all that both runs print"),
     OPTION_SETTING | OPTION_JUDGES},
    {"tokens", 0, OPTION_TEXT, "DIR",
     TR("folders step_N/rank_N with token files: what was in the batch of a spike"), OPTION_INPUT},
    {"vocab", 0, OPTION_TEXT, "FILE",
     TR("with --tokens: vocab.json, tokenizer.json or a token a line, which says what an id is"),
     OPTION_INPUT},
    {"name-map", 0, OPTION_TEXT, "FILE",
     TR("rows 'target,benchmark' that name the weights of local norms"), OPTION_INPUT},
    {"loss", 0, OPTION_TEXT, "NAME", TR("the series that is judged; default: the usual names"), 0},
    LOG_OPTIONS,
    {"series", 0, OPTION_TEXT, "LIST", TR("series to draw, e.g. loss,grad_norm; default: all"), 0},
    {"smooth", 0, OPTION_NUMBER, "W",
     TR("smoothing: from 1 a centred median, then mean, of that many values (default: by length); "
        "below 1 a debiased EMA of that weight; 0: none"),
     0},
    {"log-y", 0, OPTION_FLAG, NULL, TR("the loss on a log axis"), 0},
    {"x", 0, OPTION_CHOICE, "step|samples|tokens|updates|time",
     TR("x axis, and what runs are aligned by; time: since the first record, aligned by step"), 0},
    {"range", 0, OPTION_TEXT, "A-B", TR("only these steps, e.g. 100-500"), 0},
    {"all-rows", 0, OPTION_FLAG, NULL,
     TR("every step in the workbook; default: at most 100,000, thinned like the chart"), 0},
    WATCH_OPTIONS,
    HISTORY_OPTION,
};

static bool make_curves(const CommandCall *call, Product *out);

static uint64_t inputs_state(const Options *options, Arena *arena)
{
    static const char *const names[] = {"golden", "target", "noise"};
    SourceFiles files = {0};
    uint64_t state = 0;
    Str path;
    for (size_t i = 0; i < options->argument_count; i++)
        run_source_files(options->arguments[i], arena, &files);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t at = 0; options_list_next(options, names[i], &at, &path);)
            run_source_files(path, arena, &files);
    for (size_t i = 0; i < files.count; i++)
        state = watch_file_state(files.items[i], state);
    return state;
}

const CommandSpec curves_command = {
    .name = "curves",
    .arguments = "[NAME=]RUN...",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .state = inputs_state,
    .make = make_curves,
};

typedef struct CurvesJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Runs runs;
    LogWish wish;
    NameMap map;
    bool has_map;
    CurveLimits limits;
    CurveFindings report;
    CurveFindings timed;  // what pictures over time show
    Runs timed_runs;
    Verdict verdict;
    const HistoryView *history;  // with --history, else NULL
    CurvesSummary summary;
} CurvesJob;

static bool read_run(CurvesJob *job, Str argument, RunRole role)
{
    return run_source_read(argument, role, job->arena, &job->runs, job->notices, job->err);
}

static bool read_listed(CurvesJob *job, const char *option, RunRole role)
{
    Str path;
    for (size_t at = 0; options_list_next(job->options, option, &at, &path);)
        if (!read_run(job, path, role))
            return false;
    return true;
}

// Runs without a role: next to a golden one they are targets; of two alone the first is golden.
static RunRole role_of_argument(const CurvesJob *job, size_t index)
{
    bool golden = options_given(job->options, "golden");
    bool target = options_given(job->options, "target");
    size_t count = job->options->argument_count;
    if (golden)
        return target ? ROLE_SINGLE : ROLE_TARGET_RUN;
    if (target)
        return index == 0 && count == 1 ? ROLE_GOLDEN_RUN : ROLE_SINGLE;
    if (count == 2)
        return index == 0 ? ROLE_GOLDEN_RUN : ROLE_TARGET_RUN;
    return ROLE_SINGLE;
}

// Whether the command line names a golden run and a target.
static bool names_pair(const CurvesJob *job)
{
    bool golden = options_given(job->options, "golden");
    bool target = options_given(job->options, "target");
    size_t count = job->options->argument_count;
    return golden ? target || count : count == (target ? 1 : 2);
}

static bool has_role(const CurvesJob *job, RunRole role)
{
    for (size_t i = 0; i < job->runs.count; i++)
        if (job->runs.items[i].role == role)
            return true;
    return false;
}

// Two runs of one table are golden and target by their names.
static void take_sides(CurvesJob *job)
{
    Runs *runs = &job->runs;
    if (runs->count != 2 || job->options->argument_count != 1 || has_role(job, ROLE_GOLDEN_RUN) ||
        has_role(job, ROLE_TARGET_RUN) || has_role(job, ROLE_NOISE_RUN))
        return;
    NameSide sides[2] = {series_name_side(runs->items[0].name),
                         series_name_side(runs->items[1].name)};
    if (!sides[0] || !sides[1] || sides[0] == sides[1])
        return;
    if (sides[0] == NAME_TARGET) {
        Run first = runs->items[0];
        runs->items[0] = runs->items[1];
        runs->items[1] = first;
    }
    runs->items[0].role = ROLE_GOLDEN_RUN;
    runs->items[1].role = ROLE_TARGET_RUN;
}

static bool read_runs(CurvesJob *job)
{
    if (!log_wish_read(job->options, job->arena, job->notices, &job->wish, job->err))
        return false;
    job->wish.loss = options_text(job->options, "loss", "");
    job->runs.wish = &job->wish;
    Str golden = options_text(job->options, "golden", "");
    if (!golden.size && options_given(job->options, "target") &&
        job->options->argument_count == 0) {
        error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                  tr("-t needs a golden run to be compared with"));
        return error_hint(job->err, "%s", tr("-g RUN names it; one run alone is shown without -t"));
    }
    if (golden.size && !read_run(job, golden, ROLE_GOLDEN_RUN))
        return false;
    for (size_t i = 0; i < job->options->argument_count; i++)
        if (!read_run(job, job->options->arguments[i], role_of_argument(job, i)))
            return false;
    if (!read_listed(job, "noise", ROLE_NOISE_RUN) || !read_listed(job, "target", ROLE_TARGET_RUN))
        return false;
    if (job->runs.count == 0)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("curves needs a log or table: vernier curves [NAME=]RUN..."));
    take_sides(job);
    runs_name_apart(&job->runs, job->arena);
    if ((job->runs.count > 2 || (job->runs.count == 2 && job->options->argument_count == 1)) &&
        !has_role(job, ROLE_GOLDEN_RUN))
        notices_add(job->notices, NOTICE_WARNING, NOWHERE, "%s",
                    tr("runs without a golden one are drawn and not judged: -g RUN names it, -t "
                       "RUN those under question, --noise RUN others of the golden configuration"));
    return true;
}

static bool read_map(CurvesJob *job)
{
    Str path = options_text(job->options, "name-map", "");
    job->has_map = path.size > 0;
    return !job->has_map ||
           name_map_read(str_cstr(job->arena, path), job->arena, &job->map, job->notices, job->err);
}

static bool read_limits(CurvesJob *job)
{
    double digits = options_number(job->options, "digits", 0);
    job->limits = curve_limits;
    job->limits.exact = options_flag(job->options, "exact");
    if (options_given(job->options, "digits") && !job->limits.exact)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s", tr("--digits: goes with --exact"));
    if (options_given(job->options, "digits") &&
        !(digits >= 1 && digits <= 17 && digits == floor(digits)))
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--digits: expected a number from 1 to 17"));
    job->limits.digits = (unsigned)digits;
    return !options_given(job->options, "limits") ||
           curve_limits_read(options_text(job->options, "limits", ""), job->arena, &job->limits,
                             job->err);
}

static bool same_file(const Run *a, const Run *b)
{
    for (size_t i = 0; i < a->file_count; i++)
        for (size_t k = 0; k < b->file_count; k++)
            if (file_same(a->files[i], b->files[k]))
                return true;
    return false;
}

static bool same_series(const Run *a, const Run *b, const char *name)
{
    const Series *left = run_series(a, name), *right = run_series(b, name);
    if (!left || !right || left->count < 2 || left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++)
        if (left->points.x[i] != right->points.x[i] ||
            left->points.value[i] != right->points.value[i])
            return false;
    return true;
}

static bool same_losses(const Run *a, const Run *b)
{
    return same_series(a, b, "loss");
}

// Of a log without a loss: all that it holds.
static bool same_all(CurvesJob *job, const Run *a, const Run *b)
{
    bool any = false;
    if (run_series(a, "loss") || a->series_count != b->series_count)
        return same_losses(a, b);
    for (size_t i = 0; i < a->series_count; i++) {
        if (a->series[i].count < 2)
            continue;
        if (!same_series(a, b, str_cstr(job->arena, a->series[i].name)))
            return false;
        any = true;
    }
    return any;
}

// Golden or the target cannot say how far golden scatters, nor golden what the target does.
static bool check_runs(CurvesJob *job)
{
    size_t judged_count = 0;
    const Run **judged = ARENA_ARRAY(job->arena, const Run *, job->runs.count);
    for (size_t i = 0; i < job->runs.count; i++)
        if (job->runs.items[i].role == ROLE_TARGET_RUN ||
            job->runs.items[i].role == ROLE_GOLDEN_RUN)
            judged[judged_count++] = &job->runs.items[i];
    for (size_t i = 0; i < job->runs.count; i++)
        for (size_t k = 0; k < judged_count; k++) {
            const Run *run = &job->runs.items[i], *other = judged[k];
            bool target = other->role == ROLE_TARGET_RUN;
            bool typed = job->options->argument_count != 1 || options_given(job->options, "golden");
            if (run->role == ROLE_GOLDEN_RUN && target && typed && same_file(run, other) &&
                same_all(job, run, other))
                notices_add(job->notices, NOTICE_WARNING, WHERE_FILE(other->files[0]), "%s",
                            tr("golden and target are the same log: no other run was compared"));
            if (run->role == ROLE_NOISE_RUN && same_losses(run, other) &&
                (target || same_file(run, other)))
                return error_set(job->err, ERR_USAGE, WHERE_FILE(run->files[0]), "%s",
                                 target ? tr("--noise: this is the target, or equal to it at every "
                                             "step; give another run of the golden configuration")
                                        : tr("--noise: this is the golden run itself; give another "
                                             "run of its configuration"));
        }
    return true;
}

// An option that could not change anything is refused.
static bool check_options(CurvesJob *job)
{
    static const char *const judging[] = {"criterion", "limits", "exact", "until-diverges"};
    const Options *options = job->options;
    double smooth = options_number(options, "smooth", 0);
    bool golden = has_role(job, ROLE_GOLDEN_RUN), pair = golden && has_role(job, ROLE_TARGET_RUN);
    if (!isfinite(smooth) || smooth < 0)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--smooth: expected a number from 0"));
    for (size_t i = 0; i < sizeof judging / sizeof *judging; i++)
        if (options_given(options, judging[i]) && !pair)
            return error_set(job->err, ERR_USAGE, NOWHERE,
                             tr("--%s: judges a target by a golden run; give both"), judging[i]);
    if (options_given(options, "noise") && !golden)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--noise: is the spread of a golden run; give that with --golden"));
    return true;
}

static bool any_has_series(const CurvesJob *job, const char *name)
{
    bool any = false;
    for (size_t i = 0; i < job->runs.count && !any; i++)
        any = run_series(&job->runs.items[i], name) != NULL;
    return any;
}

// The series that is meant, else those that are there; false.
static bool name_series(const CurvesJob *job, Str wanted)
{
    enum { NAMED = 8 };
    Spelling near = spelling_of(wanted);
    StrBuf there = strbuf_new(job->arena);
    for (size_t i = 0; i < job->runs.count; i++) {
        const Run *run = &job->runs.items[i];
        for (size_t k = 0; k < run->series_count; k++) {
            Str name = run->series[k].name;
            spelling_offer(&near, name);
            if (i == 0 && k < NAMED)
                strbuf_printf(&there, "%s" STR_FMT, k ? ", " : "", STR_ARG(name));
            else if (i == 0 && k == NAMED)
                strbuf_add(&there, STR(", ..."));
        }
    }
    if (near.best.size)
        return error_hint(job->err, tr("did you mean " STR_FMT "? There are " STR_FMT),
                          STR_ARG(near.best), STR_ARG(strbuf_str(&there)));
    return error_hint(job->err, tr("there are " STR_FMT), STR_ARG(strbuf_str(&there)));
}

// Series that are asked for and not there; an error if none is.
static bool check_series(CurvesJob *job)
{
    Str rest = options_text(job->options, "series", ""), name;
    size_t found = 0, lacking = 0;
    while (rest.size && str_split(&rest, ',', &name)) {
        const char *wanted = str_cstr(job->arena, str_trim(name));
        bool there = any_has_series(job, wanted);
        found += there;
        lacking += !there;
        if (!there)
            notices_add(job->notices, NOTICE_UNMET, NOWHERE,
                        tr("--series: no run has a series called '%s'"), wanted);
    }
    if (!lacking || found)
        return true;
    error_set(job->err, ERR_INPUT, NOWHERE, "%s",
              tr("--series: none of these series is there; without it all are drawn"));
    return name_series(job, str_trim(name));
}

static Criterion criterion_of(const Options *options)
{
    Str name = options_text(options, "criterion", "long");
    if (str_equal(name, STR("lr0")))
        return CRITERION_LR0;
    return str_equal(name, STR("converged")) ? CRITERION_CONVERGED : CRITERION_LONG;
}

static bool parse_range(CurvesJob *job, int64_t *first, int64_t *last)
{
    Str text = options_text(job->options, "range", "");
    *first = INT64_MIN;
    *last = INT64_MAX;
    if (text.size == 0)
        return true;
    Str low, high;
    bool good = number_range_split(text, &low, &high) &&
                (low.size == 0 || str_to_int64(low, first)) &&
                (high.size == 0 || str_to_int64(high, last)) && *first <= *last;
    return good || error_set(job->err, ERR_USAGE, NOWHERE,
                             tr("--range: expected A-B, found '" STR_FMT "'"), STR_ARG(text));
}

static bool has_points(const Run *run)
{
    bool any = run->series_count == 0;
    for (size_t i = 0; i < run->series_count; i++)
        any = any || run->series[i].count > 0;
    return any;
}

static const char *const units[] = {"step", "samples", "tokens", "updates"};

// What the runs are joined over.
static XUnit joining_unit(CurvesJob *job)
{
    Str wish = options_text(job->options, "x", "step");
    for (int at = X_SAMPLES; at <= X_UPDATES; at++)
        if (str_equal(wish, str_of(units[at])))
            return (XUnit)at;
    XUnit unit = options_given(job->options, "x") ? X_STEP : runs_unit(&job->runs);
    if (unit != X_STEP)
        notices_add(
            job->notices, NOTICE_TOLD, WHERE_FILE(job->runs.items[0].files[0]),
            tr("the records carry no step and count their %s, by which the runs are joined"),
            tr(units[unit]));
    return unit;
}

// Another x and a choice of steps, before anything is judged.
static bool select_points(CurvesJob *job)
{
    int64_t first, last;
    if (!parse_range(job, &first, &last))
        return false;
    runs_take_means(&job->runs, job->arena, job->notices);
    XUnit unit = joining_unit(job);
    if (unit == X_STEP)
        align_first_steps(&job->runs, job->arena, job->notices);
    for (size_t i = 0; i < job->runs.count; i++) {
        Run *run = &job->runs.items[i];
        if (!rekey_run(run, unit, job->arena))
            return error_set(job->err, ERR_INPUT, WHERE_FILE(run->files[0]),
                             tr("the run does not count its %s; --x step takes its steps"),
                             units[unit]);
        clip_run(run, first, last, job->arena);
        if (!has_points(run))
            return error_set(job->err, ERR_INPUT, WHERE_FILE(run->files[0]),
                             tr("no point of the run is in --range " STR_FMT),
                             STR_ARG(options_text(job->options, "range", "")));
    }
    return true;
}

static double first_value(const Run *run, const char *name)
{
    const Series *series = run_series(run, name);
    return series && series->count ? series->points.value[0] : NAN;
}

// What a reader of the numbers has to know of how the runs were joined.
static void note_joining(CurvesJob *job)
{
    double batch = NAN;
    bool by_step = str_equal(options_text(job->options, "x", "step"), STR("step"));
    for (size_t i = 0; i < job->runs.count; i++) {
        const Run *run = &job->runs.items[i];
        double own = first_value(run, "batch_size");
        if (by_step && !isnan(batch) && !isnan(own) && own != batch)
            notices_add(job->notices, NOTICE_WARNING, WHERE_FILE(run->files[0]), "%s",
                        tr("the runs have different batch sizes but are joined by step; "
                           "--x samples joins them by samples"));
        batch = isnan(batch) ? own : batch;
        run_tell_overlap(run, job->notices);
    }
}

// A sheet of a million rows takes longer to write than the log to read, and few programs open it.
enum { WORKBOOK_ROWS = 100000 };

static void add_tables(CurvesJob *job, Product *out)
{
    Str series = options_text(job->options, "series", "");
    Table *tables[9];
    bool whole = options_flag(job->options, "all-rows") || !outputs_want_books(job->outputs);
    Table *values = curves_table_values(&job->report, series, 0, job->arena);
    Table *few = curves_table_values(&job->report, series, whole ? 0 : WORKBOOK_ROWS, job->arena);
    Table *all[] = {curves_table_differences(&job->report, job->arena),
                    curves_table_phases(&job->report, job->arena),
                    curves_table_norms(&job->report, job->arena),
                    curves_table_runs(&job->report, job->arena),
                    curves_table_spikes(&job->report, job->arena),
                    curves_table_events(&job->report, job->arena),
                    few};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && all[i]->row_count)
            tables[count++] = all[i];
    if (job->history)
        tables[count++] = history_table_of_trends(job->history, 0, job->arena);
    product_book(out, STR("curves"), true, tables, count);
    product_sheet(out, STR("curves"), true, values);
}

static void add_pages(CurvesJob *job, const Scene *picture, const Scene *multiples,
                      const Scene *norms, Product *out)
{
    Report *report = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    CurvesPage *page = ARENA_NEW(job->arena, CurvesPage);
    *page = (CurvesPage){.version = VERNIER_VERSION,
                         .report = &job->report,
                         .verdict = &job->verdict,
                         .picture = picture,
                         .multiples = multiples,
                         .norms = norms,
                         .notices = job->notices,
                         .history = job->history,
                         .title = options_text(job->options, "title", "")};
    curves_page_build(page, job->arena, report);
    curves_ticket_build(page, job->arena, ticket);
    product_page(out, report, NULL);
    product_ticket(out, ticket, "summary");
}

static Scene *add_norms(CurvesJob *job, Product *out)
{
    Verdict own;
    if (!job->report.has_norms)
        return NULL;
    Scene *norms = ARENA_NEW(job->arena, Scene);
    norms_verdict(&job->report.norms, job->verdict.partial, job->arena, &own);
    norms_picture(&job->report.norms, job->arena, norms);
    product_figure(out, STR("local-norms"), false, norms, &own);
    return norms;
}

static void add_pictures(CurvesJob *job, Product *out)
{
    bool timed = job->timed_runs.count > 0;
    CurvesView view = {.report = timed ? &job->timed : &job->report,
                       .series = options_text(job->options, "series", ""),
                       .smooth = options_number(job->options, "smooth", NAN),
                       .log_y = options_flag(job->options, "log-y"),
                       .over_time = timed,
                       .x_unit = timed ? tr("time since the first record")
                                       : tr(job->runs.items[0].x_unit)};
    Scene *picture = ARENA_NEW(job->arena, Scene);
    if (!outputs_want_pictures(job->outputs))
        return;
    curves_picture(&view, "curves", job->arena, picture);
    product_figure(out, STR("curves"), true, picture, &job->verdict);
    Scene *multiples = ARENA_NEW(job->arena, Scene);
    bool many = curves_multiples(&view, "curves-runs", job->arena, multiples);
    if (many)
        product_figure(out, STR("curves-runs"), false, multiples, &job->verdict);
    history_log_draw(job->history, &job->verdict, out);
    const Scene *norms = add_norms(job, out);
    if (outputs_want_pages(job->outputs))
        add_pages(job, picture, many ? multiples : NULL, norms, out);
}

// Pictures over time show the report as it was judged over steps.
static bool place_in_time(CurvesJob *job)
{
    const Run *lacking;
    if (!str_equal(options_text(job->options, "x", "step"), STR("time")) ||
        curves_over_time(&job->report, job->arena, &job->timed_runs, &job->timed, &lacking))
        return true;
    return error_set(job->err, ERR_INPUT, WHERE_FILE(lacking->files[0]), "%s",
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

static void say(const CurvesJob *job, Arena *arena, Verdict *out)
{
    curves_verdict(&job->report, notices_any_partial(job->notices), arena, out);
    Str settings = settings_judging(job->options, job->notices->redaction, arena);
    verdict_judged_by(out, settings, arena);
}

static Str tell(const void *of, Arena *arena)
{
    Verdict verdict;
    say(of, arena, &verdict);
    return verdict.sentence;
}

// The night is called after the last run under question.
static void keep_night(CurvesJob *job, Product *out)
{
    if (!history_wanted(job->options) || job->verdict.style == STYLE_NO_DATA)
        return;
    HistoryNight tonight = {0};
    Str label = job->runs.items[job->runs.count - 1].name;
    for (size_t i = 0; i < job->runs.count; i++)
        if (job->runs.items[i].role == ROLE_TARGET_RUN)
            label = job->runs.items[i].name;
    curves_history_facts(&job->report, &job->verdict, job->arena, &tonight);
    job->history = history_log_keep(job->options, &tonight, label, tell, job, out);
}

// Whether a run of the other role has a series of that name.
static bool has_partner(const CurvesJob *job, RunRole role, Str name)
{
    RunRole other = role == ROLE_GOLDEN_RUN ? ROLE_TARGET_RUN : ROLE_GOLDEN_RUN;
    for (size_t i = 0; i < job->runs.count; i++)
        for (size_t k = 0; k < job->runs.items[i].series_count; k++)
            if (job->runs.items[i].role == other &&
                str_equal(job->runs.items[i].series[k].name, name))
                return true;
    return false;
}

// Series of one side only are set aside, and named.
static void note_series_alone(const CurvesJob *job)
{
    enum { NAMES_SHOWN = 3 };
    for (size_t i = 0; i < job->runs.count; i++) {
        const Run *run = &job->runs.items[i];
        StrBuf names = strbuf_new(job->arena);
        size_t alone = 0;
        if (run->role != ROLE_GOLDEN_RUN && run->role != ROLE_TARGET_RUN)
            continue;
        for (size_t k = 0; k < run->series_count; k++) {
            const Series *series = &run->series[k];
            if (has_partner(job, run->role, series->name))
                continue;
            if (alone++ < NAMES_SHOWN)
                strbuf_printf(&names, "%s" STR_FMT, names.size ? ", " : "", STR_ARG(series->name));
            account_see(&job->notices->account, series->count);
            account_set_aside(&job->notices->account, ASIDE_NOT_RECORDED, series->count);
        }
        if (alone)
            notices_add(job->notices, NOTICE_TOLD, WHERE_FILE(run->files[0]),
                        tr_count(alone,
                                 "%zu series is in this run only and not compared: " STR_FMT "%s",
                                 "%zu series are in this run only and not compared: " STR_FMT "%s"),
                        alone, STR_ARG(strbuf_str(&names)), alone > NAMES_SHOWN ? ", …" : "");
    }
}

static void produce(CurvesJob *job, Product *out)
{
    note_series_alone(job);
    job->summary = (CurvesSummary){.version = VERNIER_VERSION,
                                   .report = &job->report,
                                   .verdict = &job->verdict,
                                   .notices = job->notices,
                                   .history = job->history};
    add_tables(job, out);
    add_pictures(job, out);
    account_compare_rest(&job->notices->account);
    product_facts(out, curves_summary_write, &job->summary);
    out->verdict = job->verdict;
    out->tells_read = true;
    out->status = job->verdict.style == STYLE_NO_DATA ? PRODUCT_NOTHING
                  : curves_beyond(&job->report)       ? PRODUCT_DIFFERS
                                                      : PRODUCT_AGREES;
}

// A monitor's table has a series a tensor, of which none is a loss.
static bool check_table(const CurvesJob *job, Str argument)
{
    const char *path = str_cstr(job->arena, argument);
    bool table = monitor_table_is(path);
    if (table) {
        error_set(job->err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("this is a table of a monitor, with a series a tensor"));
        error_hint(job->err, tr("it is drawn by: %s"), SHELL_LINE(job->arena, "monitor", path));
    } else if (file_kind(path) == FILE_FOLDER && input_kind_of(path) == INPUT_MONITOR) {
        notices_add(job->notices, NOTICE_UNMET, WHERE_FILE(path),
                    tr("this folder holds a monitor's tables; they are drawn by: %s"),
                    SHELL_LINE(job->arena, "monitor", path));
    }
    return !table;
}

static bool check_tables(const CurvesJob *job)
{
    static const char *const options[] = {"golden", "target", "noise"};
    Str path;
    for (size_t i = 0; i < job->options->argument_count; i++)
        if (!check_table(job, job->options->arguments[i]))
            return false;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (size_t at = 0; options_list_next(job->options, options[i], &at, &path);)
            if (!check_table(job, path))
                return false;
    return true;
}

static bool make_curves(const CommandCall *call, Product *out)
{
    CurvesJob *job = ARENA_NEW(call->arena, CurvesJob);
    *job = (CurvesJob){.arena = call->arena,
                       .options = call->options,
                       .outputs = call->outputs,
                       .notices = call->notices,
                       .err = call->err};
    if (!check_tables(job))
        return false;
    if (!names_pair(job))
        options_drop_settings(job->options, OPTION_JUDGES, true);
    settings_tell(job->options, job->notices);
    if (!outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) ||
        !watch_check(job->options, job->err) || !read_limits(job) || !read_map(job) ||
        !read_runs(job) || !check_options(job) || !check_runs(job) || !check_series(job) ||
        !select_points(job))
        return false;
    out->read = count_read(&job->runs);
    redact_runs(&job->runs, job->notices->redaction, job->arena);
    note_joining(job);
    curves_judge(&job->runs, criterion_of(job->options), &job->limits,
                 job->has_map ? &job->map : NULL, job->arena, &job->report);
    if (job->has_map && !job->report.has_norms)
        notices_add(job->notices, NOTICE_UNMET, NOWHERE, "%s",
                    tr("--name-map: no pair of runs prints local norms, so it names nothing"));
    if (!place_in_time(job) ||
        !curves_batches_tell(&job->report, job->options, job->arena, job->notices, job->err))
        return false;
    curves_coverage_tell(&job->report, job->wish.loss.size > 0, job->arena, job->notices);
    out->ci.judged_by = settings_judging(job->options, job->notices->redaction, job->arena);
    say(job, job->arena, &job->verdict);
    keep_night(job, out);
    produce(job, out);
    return true;
}
