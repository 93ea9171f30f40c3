// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_runs.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/command_line.h"
#include "commands/compare_pair.h"
#include "compare/judge.h"
#include "compare/run_content.h"
#include "layout/runs_picture.h"
#include "layout/runs_report.h"
#include "layout/summary.h"

// A (step, rank) and where each run has it.
typedef struct RunPlace {
    int64_t step, rank;
    const DumpPlace **dumps;  // by run; NULL: the run lacks it
    uint64_t *keys;           // by run: RunContent.whole, 0 without
    uint64_t *agreement;      // by run
    uint32_t *ops;            // by run
    ReadFact *reads;          // by run
    Notices notices;
    Arena *arena;
} RunPlace;

// One run held against the most common one at one place.
typedef struct RunTask {
    size_t run, place;
    Arena *arena;
    Notices notices;
    bool compared;
    Status status;
    RunLeave leave;
    LayerFacts layers;
} RunTask;

typedef struct Work {
    const CommandCall *call;
    Arena *arena;
    Outputs outputs;
    Notices notices;
    Redaction redaction;
    Error err;
    DumpPlaces *dumps;  // by run
    RunFacts *runs;
    size_t run_count;
    RunPlace *places;
    size_t place_count;
    ComparePairOptions pair_options;
    RunTask *tasks;
    size_t task_count;
    RunsReport report;
} Work;

// ---- the runs and their places

static bool check_options(Work *work)
{
    static const char *const others[] = {
        "golden",       "target",      "noise",        "write-mapping",
        "history",      "shard",       "data-mapping", "layer-mapping",
        "cell-mapping", "api-mapping", "view",         "focus",
        "rules",        "criteria",    "fuzzy",        "parallel-merge",
        "consistency",  "overflow",    "depth",        "write-layer-mapping",
        "all-rows",     NULL};
    const char *other = options_first_of(&work->call->options, others);
    if (other)
        return error_set(&work->err, ERR_USAGE, NOWHERE,
                         tr("--runs compares runs of one set-up: --%s does not go with it"), other);
    if (work->call->options.argument_count < 2)
        return error_set(&work->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--runs needs at least two dumps: vernier compare --runs DUMP..."));
    return true;
}

// The last names of the paths where they are distinct, else the paths.
static void label_runs(Work *work)
{
    bool distinct = true;
    for (size_t i = 0; i < work->run_count; i++)
        for (size_t k = 0; k < i; k++)
            distinct = distinct &&
                       !str_equal(path_base(work->runs[i].path), path_base(work->runs[k].path));
    for (size_t i = 0; i < work->run_count; i++)
        work->runs[i].label = distinct ? path_base(work->runs[i].path) : work->runs[i].path;
}

static void redact(Work *work)
{
    const Options *options = &work->call->options;
    if (!options_flag(options, "redact"))
        return;
    for (size_t i = 0; i < work->run_count; i++)
        redact_add(&work->redaction, work->arena, options->arguments[i],
                   str_printf(work->arena, "run%zu", i + 1));
    work->notices.redaction = &work->redaction;
}

// A run that cannot be found costs itself.
static bool find_runs(Work *work)
{
    NumberList steps, ranks;
    const Options *options = &work->call->options;
    if (!options_numbers(&work->call->options, "step", work->arena, &steps, &work->err) ||
        !options_numbers(&work->call->options, "rank", work->arena, &ranks, &work->err))
        return false;
    work->run_count = options->argument_count;
    work->runs = ARENA_ARRAY(work->arena, RunFacts, work->run_count);
    work->dumps = ARENA_ARRAY(work->arena, DumpPlaces, work->run_count);
    redact(work);
    for (size_t i = 0; i < work->run_count; i++) {
        Error err;
        Str path = options->arguments[i];
        work->runs[i].path = redact_path(work->notices.redaction, path, work->arena);
        if (folder_find_dumps(str_cstr(work->arena, path), &steps, &ranks, work->arena,
                              &work->dumps[i], &work->notices, &err))
            continue;
        notices_add_error(&work->notices, &err);
        work->dumps[i] = (DumpPlaces){0};
    }
    label_runs(work);
    return true;
}

static RunPlace *place_at(Work *work, int64_t step, int64_t rank, size_t *capacity)
{
    for (size_t i = 0; i < work->place_count; i++)
        if (work->places[i].step == step && work->places[i].rank == rank)
            return &work->places[i];
    array_reserve(work->arena, (void **)&work->places, work->place_count, capacity,
                  sizeof *work->places);
    RunPlace *place = &work->places[work->place_count++];
    *place = (RunPlace){.step = step,
                        .rank = rank,
                        .dumps = ARENA_ARRAY(work->arena, const DumpPlace *, work->run_count),
                        .keys = ARENA_ARRAY(work->arena, uint64_t, work->run_count),
                        .agreement = ARENA_ARRAY(work->arena, uint64_t, work->run_count),
                        .ops = ARENA_ARRAY(work->arena, uint32_t, work->run_count),
                        .reads = ARENA_ARRAY(work->arena, ReadFact, work->run_count)};
    return place;
}

// Single dumps are of one place whatever their folders are called.
static void find_places(Work *work)
{
    size_t capacity = 0;
    bool single = true;
    for (size_t run = 0; run < work->run_count; run++)
        single = single && work->dumps[run].count <= 1;
    for (size_t run = 0; run < work->run_count; run++)
        for (size_t i = 0; i < work->dumps[run].count; i++) {
            const DumpPlace *dump = &work->dumps[run].items[i];
            RunPlace *place = single && work->place_count
                                  ? work->places
                                  : place_at(work, dump->step, dump->rank, &capacity);
            place->dumps[run] = dump;
        }
}

// ---- what each run says

static void read_place(void *context, size_t index)
{
    Work *work = context;
    RunPlace *place = &work->places[index];
    place->arena = arena_new();
    notices_init(&place->notices, place->arena);
    place->notices.redaction = work->notices.redaction;
    Arena *scratch = arena_new();
    RunContent *contents = ARENA_ARRAY(scratch, RunContent, work->run_count);
    for (size_t run = 0; run < work->run_count; run++) {
        Arena *own = arena_new();
        Dump *dump = ARENA_NEW(own, Dump);
        Error err;
        if (!place->dumps[run]) {
            arena_release(own);
            continue;
        }
        if (dump_read(place->dumps[run]->file, names_new(own), own, dump, &place->notices, &err)) {
            run_content(dump, scratch, &contents[run]);
            place->keys[run] = contents[run].whole;
            place->ops[run] = dump->op_count;
            place->reads[run] = (ReadFact){
                .file = STR("."), .bytes = dump->bytes, .ops = dump->op_count, .partial_at = -1};
        } else {
            notices_add_error(&place->notices, &err);
        }
        arena_release(own);
    }
    run_content_agreement(contents, work->run_count, place->agreement);
    arena_release(scratch);
}

static bool same_keys(const uint64_t *keys, size_t places, size_t a, size_t b)
{
    return memcmp(keys + a * places, keys + b * places, places * sizeof *keys) == 0;
}

// Chooses the most common run and groups all by content.
static void group_runs(Work *work)
{
    size_t runs = work->run_count, places = work->place_count, groups = 1;
    uint64_t *keys = ARENA_ARRAY(work->arena, uint64_t, runs * places);
    uint64_t *agreement = ARENA_ARRAY(work->arena, uint64_t, runs);
    for (size_t run = 0; run < runs; run++) {
        work->runs[run].failed = true;
        for (size_t i = 0; i < places; i++) {
            keys[run * places + i] = work->places[i].keys[run];
            agreement[run] += work->places[i].agreement[run];
            work->runs[run].failed = work->runs[run].failed && !work->places[i].keys[run];
        }
    }
    size_t common = work->report.common = run_most_common(keys, runs, places, agreement);
    for (size_t run = 0; run < runs && common != SIZE_MAX; run++) {
        size_t like = 0;
        work->runs[run].status = STATUS_SAME;
        if (same_keys(keys, places, run, common))
            continue;
        while (like < run && !same_keys(keys, places, like, run))
            like++;
        work->runs[run].group = like < run ? work->runs[like].group : groups++;
    }
}

// ---- each run against the most common one

static void note_missing(Work *work, size_t run, const RunPlace *place)
{
    notices_partial(&work->notices, WHERE_FILE(str_cstr(work->arena, work->runs[run].path)),
                    tr("this run has no dump of step %lld, rank %lld"), (long long)place->step,
                    (long long)place->rank);
}

static void plan_tasks(Work *work)
{
    size_t common = work->report.common;
    work->tasks = ARENA_ARRAY(work->arena, RunTask, work->run_count * work->place_count);
    for (size_t i = 0; i < work->place_count && common != SIZE_MAX; i++) {
        const RunPlace *place = &work->places[i];
        for (size_t run = 0; run < work->run_count; run++) {
            if (work->runs[run].failed)
                continue;
            if (!place->keys[run])
                note_missing(work, run, place);
            else if (place->keys[common] && place->keys[run] != place->keys[common])
                work->tasks[work->task_count++] = (RunTask){.run = run, .place = i};
        }
    }
}

static void compare_task(void *context, size_t index)
{
    Work *work = context;
    RunTask *task = &work->tasks[index];
    const RunPlace *place = &work->places[task->place];
    task->arena = arena_new();
    notices_init(&task->notices, task->arena);
    task->notices.redaction = work->notices.redaction;
    Arena *scratch = arena_new();
    PairGraphs *graphs = ARENA_NEW(scratch, PairGraphs);
    PlacePair pair = {.step = place->step,
                      .rank = place->rank,
                      .golden = place->dumps[work->report.common],
                      .target = place->dumps[task->run]};
    task->compared = compare_pair_read(&pair, &work->pair_options, scratch, graphs, &task->notices);
    if (task->compared) {
        run_leave_find(&graphs->comparison, task->arena, &task->leave);
        layers_collect(&graphs->comparison, task->arena, &task->layers);
        task->status = graphs->comparison.status;
    }
    arena_release(scratch);
}

// The layers of all comparisons under one list, in the order in which they are first met.
static void name_layers(Work *work, Names *names)
{
    for (size_t i = 0; i < work->task_count; i++)
        for (size_t k = 0; k < work->tasks[i].layers.count; k++)
            names_add(names, work->tasks[i].layers.items[k].name);
    size_t count = work->report.layer_count = names_count(names);
    Str *layers = ARENA_ARRAY(work->arena, Str, count);
    for (size_t i = 0; i < count; i++)
        layers[i] = names_text(names, (NameId)(i + 1));
    work->report.layers = layers;
}

static void add_layers(Work *work, const RunTask *task, const Names *names)
{
    RunFacts *run = &work->runs[task->run];
    if (!run->layers) {
        run->layers = ARENA_ARRAY(work->arena, RunLayer, work->report.layer_count);
        for (size_t i = 0; i < work->report.layer_count; i++)
            run->layers[i] = (RunLayer){.status = STATUS_SAME, .error = (double)NAN};
    }
    for (size_t i = 0; i < task->layers.count; i++) {
        const LayerFact *fact = &task->layers.items[i];
        RunLayer *layer = &run->layers[names_find(names, fact->name) - 1];
        const double errors[] = {fact->forward, fact->backward, fact->parameters};
        if (!fact->leaves)
            continue;
        layer->leaves = true;
        layer->status = status_worst(layer->status, fact->status);
        for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
            if (errors[k] >= 0 && !(errors[k] <= layer->error))
                layer->error = errors[k];
    }
}

// The layer in which the run leaves first, at the place where it does.
static void mark_first(Work *work, const RunTask *task, const Names *names)
{
    RunFacts *run = &work->runs[task->run];
    for (size_t i = 0; i < task->layers.count; i++)
        if (task->layers.items[i].leaves && task->layers.items[i].leaves == run->first.position)
            run->layers[names_find(names, task->layers.items[i].name) - 1].first = true;
}

static void gather(Work *work)
{
    Names *names = names_new(work->arena);
    name_layers(work, names);
    for (size_t i = 0; i < work->task_count; i++) {
        const RunTask *task = &work->tasks[i];
        RunFacts *run = &work->runs[task->run];
        notices_join(&work->notices, &task->notices);
        if (!task->compared || !task->leave.leaves)
            continue;
        run->status = status_worst(run->status, task->status);
        run->differing += task->leave.differing;
        if (run_leave_before(&task->leave, &run->first))
            run->first = task->leave;
        add_layers(work, task, names);
    }
    for (size_t i = 0; i < work->task_count; i++) {
        const RunTask *task = &work->tasks[i];
        const RunLeave *first = &work->runs[task->run].first;
        if (task->compared && first->leaves && task->leave.step == first->step &&
            task->leave.rank == first->rank)
            mark_first(work, task, names);
    }
}

// ---- outputs

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    runs_summary_write(context, out);
    return true;
}

static void describe(Work *work)
{
    RunsReport *report = &work->report;
    const Options *options = &work->call->options;
    report->version = VERNIER_VERSION;
    report->title = options_text(options, "title", "");
    report->command =
        command_quote(work->call->argc, work->call->argv, work->notices.redaction, work->arena);
    report->runs = work->runs;
    report->count = work->run_count;
    report->notices = &work->notices;
    for (size_t i = 0; i < work->place_count && report->common != SIZE_MAX; i++) {
        report->dumps += work->places[i].keys[report->common] != 0;
        report->ops += work->places[i].ops[report->common];
    }
    runs_verdict(report, notices_any_partial(&work->notices), work->arena, &report->verdict);
}

static void draw(Work *work)
{
    RunsReport *report = &work->report;
    if (report->layer_count == 0)
        return;
    Scene *scene = ARENA_NEW(work->arena, Scene), *on_page = ARENA_NEW(work->arena, Scene);
    layout_runs(report, &report->verdict, work->arena, scene);
    outputs_scene(&work->outputs, "runs", true, scene);
    Verdict title = {.sentence = report->verdict.sentence, .style = report->verdict.style};
    layout_runs(report, &title, work->arena, on_page);
    report->figure = (PageFigure){on_page, STR("runs")};
}

static void write_outputs(Work *work)
{
    RunsReport *report = &work->report;
    Report blocks;
    outputs_custom(&work->outputs, "json", "summary.json", true, write_summary, report);
    draw(work);
    Table *sheets[2] = {runs_table(report, work->arena), runs_table_of_layers(report, work->arena)};
    outputs_tables(&work->outputs, "xlsx", "runs", true, sheets, 2);
    outputs_tables(&work->outputs, "csv", "runs", true, sheets, 1);
    runs_page_build(report, work->arena, &blocks);
    outputs_report(&work->outputs, "html", "index", true, &blocks);
    runs_ticket_build(report, work->arena, &blocks);
    outputs_report(&work->outputs, "md", "summary", true, &blocks);
}

static int finish(Work *work, const Console *console)
{
    ReadTotals totals = {0};
    for (size_t i = 0; i < work->place_count; i++)
        for (size_t run = 0; run < work->run_count; run++)
            console_add_read(&totals, &work->places[i].reads[run]);
    outputs_note_missing(&work->outputs, &work->notices);
    console_notices(console, &work->notices);
    console_read_line(console, &totals, &work->notices);
    console_verdict(console, &work->report.verdict);
    if (work->outputs.failed)
        return console_error(console, &work->err);
    Status status = runs_status(&work->report);
    if (status == STATUS_NO_DATA)
        return 3;
    if (options_flag(&work->call->options, "exit-zero"))
        return 0;
    if (status_differs(status))
        return 1;
    return work->report.verdict.partial ? 4 : 0;
}

static void work_through(Work *work)
{
    int jobs = (int)options_count(&work->call->options, "jobs", threads_default_jobs());
    find_places(work);
    threads_run(work->place_count, jobs, read_place, work);
    for (size_t i = 0; i < work->place_count; i++) {
        notices_join(&work->notices, &work->places[i].notices);
        arena_release(work->places[i].arena);
    }
    group_runs(work);
    plan_tasks(work);
    threads_run(work->task_count, jobs, compare_task, work);
    gather(work);
    describe(work);
    write_outputs(work);
}

int compare_runs(const CommandCall *call)
{
    static const MatchOptions by_name = {0};
    Work work = {.call = call, .arena = call->arena};
    notices_init(&work.notices, work.arena);
    work.pair_options = (ComparePairOptions){.rules = RULES_VERNIER, .match = &by_name};
    if (!check_options(&work) ||
        !outputs_plan(&call->options, "html,md,json,xlsx,svg,png", outputs_json_only, work.arena,
                      &work.outputs, &work.err) ||
        !find_runs(&work)) {
        console_notices(&call->console, &work.notices);
        return console_error(&call->console, &work.err);
    }
    work.pair_options.outputs = &work.outputs;
    work.pair_options.redaction = work.notices.redaction;
    work_through(&work);
    int code = finish(&work, &call->console);
    for (size_t i = 0; i < work.task_count; i++)
        arena_release(work.tasks[i].arena);
    return code;
}
