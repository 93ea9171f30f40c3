// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_runs.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/compare/pair_read.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/command_line.h"
#include "compare/nonfinite/nonfinite.h"
#include "compare/pair_facts.h"
#include "compare/runs/run_content.h"
#include "compare/value_account.h"
#include "export/summary/runs_summary.h"
#include "picture/compare/runs_picture.h"
#include "read/dump/dump_source.h"
#include "read/dump/op_name.h"
#include "read/dump/place_name.h"
#include "report/compare/runs_report.h"
#include "verdict/coverage_text.h"

// What a dump tells of its tensors; without any of both nothing can be compared with it.
enum Tells { TELLS_STATISTICS = 1, TELLS_CHECKSUMS = 2 };

// A (step, stage, rank) and where each run has it.
typedef struct RunPlace {
    int64_t step, rank;
    Str stage;                // of the step, or empty
    const DumpPlace **dumps;  // by run; NULL: the run does not have it
    uint64_t *keys;           // by run: RunContent.whole, 0 without
    uint64_t *agreement;      // by run
    uint32_t *ops;            // by run
    uint8_t *tells;           // by run: Tells
    ReadFact *reads;          // by run
    Notices notices;
    Arena *arena;
} RunPlace;

// One run compared with the most common one at one place.
typedef struct RunTask {
    size_t run, place;
    Arena *arena;
    Notices notices;
    bool compared;
    size_t lost;      // tensors of which one side alone tells a value
    PairFacts facts;  // of it the width: what was compared, what one side alone records
    Status status;
    RunLeave leave, beyond;
    LayerFacts layers;
} RunTask;

typedef struct RunsJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Redaction redaction;
    DumpPlaces *dumps;  // by run
    RunFacts *runs;
    size_t run_count;
    RunPlace *places;
    size_t place_count;
    ComparePairOptions pair_options;
    RunTask *tasks;
    size_t task_count;
    RunsView report;
} RunsJob;

// ---- the runs and their places

static bool check_options(RunsJob *job)
{
    const char *other = options_first_with(job->options, OPTION_OF_RUNS, false);
    if (other)
        return error_set(job->err, ERR_USAGE, NOWHERE,
                         tr("--runs compares runs of one configuration: --%s does not go with it"),
                         other);
    if (job->options->argument_count < 2)
        return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                         tr("--runs needs at least two dumps: vernier compare --runs DUMP..."));
    return true;
}

// The last names of the paths where they are distinct, else the paths.
static void label_runs(RunsJob *job)
{
    Names *bases = names_new(job->arena);
    for (size_t i = 0; i < job->run_count; i++)
        names_add(bases, path_base(job->runs[i].path));
    bool distinct = names_count(bases) == job->run_count;
    for (size_t i = 0; i < job->run_count; i++)
        job->runs[i].label = distinct ? path_base(job->runs[i].path) : job->runs[i].path;
}

static void redact(RunsJob *job)
{
    const Options *options = job->options;
    if (!options_flag(options, "redact"))
        return;
    for (size_t i = 0; i < job->run_count; i++)
        redact_add(&job->redaction, job->arena, options->arguments[i],
                   str_printf(job->arena, "run%zu", i + 1));
    job->notices->redaction = &job->redaction;
}

// A run agrees with itself: that does not describe the configuration. `met` are the runs before.
static void tell_twice(const RunsJob *job, size_t run, Names *met)
{
    const char *path = str_cstr(job->arena, job->options->arguments[run]);
    Str identity = file_identity(path, job->arena);
    if (names_find(met, identity) != NAME_NONE)
        notices_add(job->notices, NOTICE_WARNING, WHERE_FILE(path), "%s",
                    tr("this run is given twice: that it agrees with itself is no evidence"));
    else if (identity.size)
        names_add(met, identity);
}

// A run that cannot be found costs itself.
static bool find_runs(RunsJob *job)
{
    DumpSelection selection;
    const Options *options = job->options;
    if (!dump_selection_read(options, job->arena, &selection, job->err))
        return false;
    job->run_count = options->argument_count;
    job->runs = ARENA_ARRAY(job->arena, RunFacts, job->run_count);
    job->dumps = ARENA_ARRAY(job->arena, DumpPlaces, job->run_count);
    Names *met = names_new(job->arena);
    redact(job);
    for (size_t i = 0; i < job->run_count; i++) {
        Error err;
        Str path = options->arguments[i];
        job->runs[i].path = redact_path(job->notices->redaction, path, job->arena);
        tell_twice(job, i, met);
        if (folder_find_dumps(str_cstr(job->arena, path), &selection, job->arena, &job->dumps[i],
                              job->notices, &err))
            continue;
        notices_add_error(job->notices, &err);
        job->dumps[i] = (DumpPlaces){0};
    }
    label_runs(job);
    return true;
}

static RunPlace *place_at(RunsJob *job, const DumpPlace *at, size_t *capacity)
{
    for (size_t i = 0; i < job->place_count; i++)
        if (job->places[i].step == at->step && job->places[i].rank == at->rank &&
            str_equal(job->places[i].stage, at->stage))
            return &job->places[i];
    array_reserve(job->arena, (void **)&job->places, job->place_count, capacity,
                  sizeof *job->places);
    RunPlace *place = &job->places[job->place_count++];
    *place = (RunPlace){.step = at->step,
                        .stage = at->stage,
                        .rank = at->rank,
                        .dumps = ARENA_ARRAY(job->arena, const DumpPlace *, job->run_count),
                        .keys = ARENA_ARRAY(job->arena, uint64_t, job->run_count),
                        .agreement = ARENA_ARRAY(job->arena, uint64_t, job->run_count),
                        .ops = ARENA_ARRAY(job->arena, uint32_t, job->run_count),
                        .tells = ARENA_ARRAY(job->arena, uint8_t, job->run_count),
                        .reads = ARENA_ARRAY(job->arena, ReadFact, job->run_count)};
    return place;
}

// Single dumps are of one place whatever their folders are called.
static void find_places(RunsJob *job)
{
    size_t capacity = 0;
    bool single = true;
    for (size_t run = 0; run < job->run_count; run++)
        single = single && job->dumps[run].count <= 1;
    for (size_t run = 0; run < job->run_count; run++)
        for (size_t i = 0; i < job->dumps[run].count; i++) {
            const DumpPlace *dump = &job->dumps[run].items[i];
            RunPlace *place =
                single && job->place_count ? job->places : place_at(job, dump, &capacity);
            place->dumps[run] = dump;
        }
}

// ---- what each run says

// Next to dumps of ops one without any is a run that broke off.
static void leave_out_silent(const RunsJob *job, RunPlace *place, RunContent *contents)
{
    bool ops = false;
    for (size_t run = 0; run < job->run_count; run++)
        ops = ops || place->ops[run];
    for (size_t run = 0; run < job->run_count; run++) {
        const DumpPlace *dump = place->dumps[run];
        if (!dump || !place->keys[run] || place->tells[run] || !ops)
            continue;
        notices_partial(&place->notices, WHERE_FILE(dump->file), "%s",
                        place->ops[run]
                            ? tr("the dump records no value of its tensors: it is left out")
                            : tr("the dump holds no op: it is left out"));
        place->keys[run] = 0;
        contents[run] = (RunContent){0};
    }
}

static void read_place(void *context, size_t index)
{
    RunsJob *job = context;
    RunPlace *place = &job->places[index];
    place->arena = arena_new();
    notices_init(&place->notices, place->arena);
    place->notices.redaction = job->notices->redaction;
    Arena *scratch = arena_new();
    RunContent *contents = ARENA_ARRAY(scratch, RunContent, job->run_count);
    for (size_t run = 0; run < job->run_count; run++) {
        Arena *own = arena_new();
        Dump *dump = ARENA_NEW(own, Dump);
        Error err;
        if (!place->dumps[run]) {
            arena_release(own);
            continue;
        }
        if (dump_read(place->dumps[run]->file, names_new(own), own, dump, &place->notices, &err)) {
            run_content(dump, scratch, &contents[run]);
            account_compare_rest(&place->notices.account);
            place->keys[run] = contents[run].whole;
            place->ops[run] = dump->op_count;
            place->tells[run] = (uint8_t)((nonfinite_told_any(dump) ? TELLS_STATISTICS : 0) |
                                          (dump->has_checksum ? TELLS_CHECKSUMS : 0));
            place->reads[run] = (ReadFact){
                .file = STR("."), .bytes = dump->bytes, .ops = dump->op_count, .partial_at = -1};
        } else {
            notices_add_error(&place->notices, &err);
        }
        arena_release(own);
    }
    leave_out_silent(job, place, contents);
    run_content_agreement(contents, job->run_count, place->agreement);
    arena_release(scratch);
}

static bool same_keys(const uint64_t *keys, size_t places, size_t a, size_t b)
{
    return memcmp(keys + a * places, keys + b * places, places * sizeof *keys) == 0;
}

// Chooses the most common run and groups all by content.
static void group_runs(RunsJob *job)
{
    size_t runs = job->run_count, places = job->place_count, groups = 1;
    uint64_t *keys = ARENA_ARRAY(job->arena, uint64_t, runs * places);
    uint64_t *agreement = ARENA_ARRAY(job->arena, uint64_t, runs);
    for (size_t run = 0; run < runs; run++) {
        job->runs[run].failed = true;
        for (size_t i = 0; i < places; i++) {
            keys[run * places + i] = job->places[i].keys[run];
            agreement[run] += job->places[i].agreement[run];
            job->runs[run].failed = job->runs[run].failed && !job->places[i].keys[run];
        }
    }
    size_t common = job->report.common = run_most_common(keys, runs, places, agreement);
    for (size_t run = 0; run < runs && common != SIZE_MAX; run++) {
        size_t like = 0;
        job->runs[run].status = STATUS_SAME;
        if (same_keys(keys, places, run, common))
            continue;
        while (like < run && !same_keys(keys, places, like, run))
            like++;
        job->runs[run].group = like < run ? job->runs[like].group : groups++;
    }
}

// ---- each run against the most common one

static void note_missing(RunsJob *job, size_t run, const RunPlace *place)
{
    notices_partial(job->notices, WHERE_FILE(str_cstr(job->arena, job->runs[run].path)),
                    tr("this run has no dump of " STR_FMT),
                    STR_ARG(place_text(place->step, place->stage, place->rank, job->arena)));
}

static bool is_other_task(const RunsJob *job, size_t run, const RunPlace *place)
{
    size_t common = job->report.common;
    return place->keys[common] && place->ops[common] && !(place->tells[run] & place->tells[common]);
}

// The run fails where no place of it is left.
static void leave_out(RunsJob *job, size_t run, const RunPlace *place)
{
    place->keys[run] = 0;
    bool any = false;
    for (size_t i = 0; i < job->place_count; i++)
        any = any || job->places[i].keys[run];
    job->runs[run].failed = !any;
}

static void note_other_task(RunsJob *job, size_t run, const RunPlace *place)
{
    bool sums = place->tells[run] & TELLS_CHECKSUMS;
    notices_partial(job->notices, WHERE_FILE(place->dumps[run]->file), "%s",
                    sums ? tr("this run records checksums, the most common one statistics: they "
                              "are not compared")
                         : tr("this run records statistics, the most common one checksums: they "
                              "are not compared"));
    leave_out(job, run, place);
}

static void plan_tasks(RunsJob *job)
{
    size_t common = job->report.common;
    job->tasks = ARENA_ARRAY(job->arena, RunTask, job->run_count * job->place_count);
    for (size_t i = 0; i < job->place_count && common != SIZE_MAX; i++) {
        const RunPlace *place = &job->places[i];
        for (size_t run = 0; run < job->run_count; run++) {
            if (job->runs[run].failed)
                continue;
            if (!place->dumps[run])
                note_missing(job, run, place);
            else if (place->keys[run] && is_other_task(job, run, place))
                note_other_task(job, run, place);
            else if (place->keys[run] && place->keys[common] &&
                     place->keys[run] != place->keys[common])
                job->tasks[job->task_count++] = (RunTask){.run = run, .place = i};
        }
    }
}

// Tensors of which one run alone tells a value, or a statistic that both tell of others.
static size_t count_lost(const Comparison *comparison)
{
    size_t lost = 0, narrow = 0, all = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
            continue;
        const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
        const Slot *a = &golden->slots[pair->golden], *b = &target->slots[pair->target];
        bool differs = false, told = nonfinite_told(golden, a);
        for (int stat = 0; stat < STAT_COUNT; stat++)
            differs = differs || (a->tag[stat] > TAG_NULL) != (b->tag[stat] > TAG_NULL);
        bool alone = told != nonfinite_told(target, b);
        lost += alone;
        narrow += told && !alone && differs;
        all += told && !alone;
    }
    return narrow < all ? lost + narrow : lost;
}

static void compare_task(void *context, size_t index)
{
    RunsJob *job = context;
    RunTask *task = &job->tasks[index];
    const RunPlace *place = &job->places[task->place];
    task->arena = arena_new();
    notices_init(&task->notices, task->arena);
    task->notices.redaction = job->notices->redaction;
    Arena *scratch = arena_new();
    PairGraphs *graphs = ARENA_NEW(scratch, PairGraphs);
    PlacePair pair = {.step = place->step,
                      .stage = place->stage,
                      .rank = place->rank,
                      .golden = place->dumps[job->report.common],
                      .target = place->dumps[task->run]};
    task->compared = compare_pair_read(&pair, &job->pair_options, scratch, graphs, &task->notices);
    if (task->compared) {
        run_leave_find(&graphs->comparison, task->arena, &task->leave);
        run_beyond_find(&graphs->comparison, task->arena, &task->beyond);
        layers_collect(&graphs->comparison, task->arena, &task->layers);
        task->status = graphs->comparison.status;
        task->lost = count_lost(&graphs->comparison);
        facts_collect(&graphs->comparison, 1, task->arena, &task->facts);
    }
    arena_release(scratch);
}

// A run of which nothing meets the most common one is not another one: it records other things.
static void leave_out_strangers(RunsJob *job)
{
    for (size_t i = 0; i < job->task_count; i++) {
        RunTask *task = &job->tasks[i];
        if (!task->compared || pair_facts_compared(&task->facts))
            continue;
        const RunPlace *place = &job->places[task->place];
        notices_partial(
            job->notices, WHERE_FILE(place->dumps[task->run]->file), "%s",
            tr("this run records nothing that the most common one records too: it is left out"));
        task->compared = false;
        task->layers.count = 0;
        leave_out(job, task->run, place);
    }
}

// Where both tell the same things and only the content differs nothing is said.
static void note_width(RunsJob *job, const RunTask *task)
{
    const Coverage *coverage = &task->facts.coverage;
    if (!task->compared || coverage->left_count == 0)
        return;
    Str common = coverage_alone(coverage, SIDE_GOLDEN, job->arena);
    Str run = coverage_alone(coverage, SIDE_TARGET, job->arena);
    StrBuf text = strbuf_new(job->arena);
    strbuf_printf(&text, tr("compared: %llu slots"), (unsigned long long)task->facts.compared);
    if (common.size)
        strbuf_printf(&text, tr("; the most common run alone records " STR_FMT), STR_ARG(common));
    if (run.size)
        strbuf_printf(&text, tr("; this run alone records " STR_FMT), STR_ARG(run));
    if (!common.size && !run.size)
        strbuf_add(&text, str_of(tr("; some ops are in this run or the most common one alone")));
    notices_partial(job->notices, WHERE_FILE(job->places[task->place].dumps[task->run]->file),
                    STR_FMT, STR_ARG(strbuf_str(&text)));
    job->runs[task->run].narrow = true;
}

// The layers of all comparisons under one list, in the order in which they are first met.
static void name_layers(RunsJob *job, Names *names)
{
    for (size_t i = 0; i < job->task_count; i++)
        for (size_t k = 0; k < job->tasks[i].layers.count; k++)
            names_add(names, job->tasks[i].layers.items[k].name);
    size_t count = job->report.layer_count = names_count(names);
    Str *layers = ARENA_ARRAY(job->arena, Str, count);
    for (size_t i = 0; i < count; i++)
        layers[i] = names_text(names, (NameId)(i + 1));
    job->report.layers = layers;
}

static void add_layers(RunsJob *job, const RunTask *task, const Names *names)
{
    RunFacts *run = &job->runs[task->run];
    if (!run->layers) {
        run->layers = ARENA_ARRAY(job->arena, RunLayer, job->report.layer_count);
        for (size_t i = 0; i < job->report.layer_count; i++)
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
static void mark_first(RunsJob *job, const RunTask *task, const Names *names)
{
    RunFacts *run = &job->runs[task->run];
    for (size_t i = 0; i < task->layers.count; i++)
        if (task->layers.items[i].leaves && task->layers.items[i].leaves == run->first.position)
            run->layers[names_find(names, task->layers.items[i].name) - 1].first = true;
}

// The layer in which the run goes beyond the tolerances first.
static void mark_start(RunFacts *run, const Names *names)
{
    const RunLeave *beyond = &run->beyond;
    Str path = beyond->module.size ? beyond->module : op_name_parse(beyond->op).stem;
    NameId layer = beyond->leaves ? names_find(names, layer_of_path(path)) : 0;
    if (layer && run->layers)
        run->layers[layer - 1].starts = true;
}

static void gather(RunsJob *job)
{
    Names *names = names_new(job->arena);
    name_layers(job, names);
    for (size_t i = 0; i < job->task_count; i++) {
        const RunTask *task = &job->tasks[i];
        RunFacts *run = &job->runs[task->run];
        notices_join_new(job->notices, &task->notices);  // both dumps were read before
        note_width(job, task);
        if (task->lost)
            notices_partial(job->notices,
                            WHERE_FILE(job->places[task->place].dumps[task->run]->file),
                            tr("tensors of which only this run or only the most common one records "
                               "a value: %zu; they are not compared"),
                            task->lost);
        if (!task->compared || !task->leave.leaves)
            continue;
        run->status = status_worst(run->status, task->status);
        run->differing += task->leave.differing;
        if (run_leave_before(&task->leave, &run->first))
            run->first = task->leave;
        if (run_leave_before(&task->beyond, &run->beyond))
            run->beyond = task->beyond;
        add_layers(job, task, names);
    }
    for (size_t i = 0; i < job->task_count; i++) {
        const RunTask *task = &job->tasks[i];
        const RunLeave *first = &job->runs[task->run].first;
        if (task->compared && first->leaves && task->leave.step == first->step &&
            str_equal(task->leave.stage, first->stage) && task->leave.rank == first->rank)
            mark_first(job, task, names);
    }
    for (size_t i = 0; i < job->run_count; i++)
        mark_start(&job->runs[i], names);
}

// ---- outputs

static void describe(RunsJob *job)
{
    RunsView *report = &job->report;
    const Options *options = job->options;
    report->version = VERNIER_VERSION;
    report->title = options_text(options, "title", "");
    report->command = command_quote(job->options, job->notices->redaction, job->arena);
    report->runs = job->runs;
    report->count = job->run_count;
    report->notices = job->notices;
    for (size_t i = 0; i < job->place_count && report->common != SIZE_MAX; i++) {
        report->dumps += job->places[i].keys[report->common] != 0;
        report->ops += job->places[i].ops[report->common];
    }
    runs_verdict(report, notices_any_partial(job->notices), job->arena, &report->verdict);
}

static void count_read(const RunsJob *job, ReadTotals *out)
{
    for (size_t i = 0; i < job->place_count; i++)
        for (size_t run = 0; run < job->run_count; run++)
            console_add_read(out, &job->places[i].reads[run]);
}

static void produce(RunsJob *job, Product *out)
{
    RunsView *report = &job->report;
    Status status = runs_status(report);
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    Table *sheets[2] = {runs_table(report, job->arena), runs_table_of_layers(report, job->arena)};
    product_facts(out, runs_summary_write, report);
    if (report->layer_count) {
        Scene *scene = ARENA_NEW(job->arena, Scene);
        runs_picture(report, job->arena, scene);
        product_figure(out, STR("runs"), true, scene, &report->verdict);
        report->figure = (PageFigure){scene, STR("runs")};
    }
    product_book(out, STR("runs"), true, sheets, 2);
    product_sheet(out, STR("runs"), true, sheets[0]);
    runs_page_build(report, job->arena, page);
    runs_ticket_build(report, job->arena, ticket);
    product_page(out, page, NULL);
    product_ticket(out, ticket, "summary");
    count_read(job, &out->read);
    out->verdict = report->verdict;
    out->tells_read = true;
    out->status = status == STATUS_NO_DATA ? PRODUCT_NOTHING
                  : status_differs(status) ? PRODUCT_DIFFERS
                                           : PRODUCT_AGREES;
}

static void release(void *context)
{
    RunsJob *job = context;
    for (size_t i = 0; i < job->task_count; i++)
        arena_release(job->tasks[i].arena);
}

static void read_and_compare(RunsJob *job)
{
    int jobs = options_jobs(job->options);
    find_places(job);
    threads_run(job->place_count, jobs, read_place, job);
    for (size_t i = 0; i < job->place_count; i++) {
        notices_join(job->notices, &job->places[i].notices);
        arena_release(job->places[i].arena);
    }
    group_runs(job);
    plan_tasks(job);
    threads_run(job->task_count, jobs, compare_task, job);
    leave_out_strangers(job);
    gather(job);
    describe(job);
}

bool compare_runs(const CommandCall *call, Product *out)
{
    static const MatchOptions by_name = {0};
    RunsJob *job = ARENA_NEW(call->arena, RunsJob);
    *job = (RunsJob){.arena = call->arena,
                     .options = call->options,
                     .outputs = call->outputs,
                     .notices = call->notices,
                     .err = call->err,
                     .pair_options = {.rules = RULES_VERNIER, .match = &by_name}};
    if (!check_options(job) ||
        !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) || !find_runs(job))
        return false;
    outputs_list_files(job->outputs);
    job->pair_options.outputs = job->outputs;
    job->pair_options.redaction = job->notices->redaction;
    out->release = release;
    out->job = job;
    read_and_compare(job);
    produce(job, out);
    return true;
}
