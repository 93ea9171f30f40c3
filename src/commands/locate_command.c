// SPDX-License-Identifier: Apache-2.0
// vernier locate: the first NaN or Inf over all ranks, and how it spread.

#include "base/threads.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "export/summary/locate_summary.h"
#include "model/graph/graph_build.h"
#include "picture/overview/locate_picture.h"
#include "read/dump/dump_source.h"
#include "report/locate_report.h"

static const OptionSpec specs[] = {
    SELECTION_OPTIONS(0),
};

static bool make_locate(const CommandCall *call, Product *out);

const CommandSpec locate_command = {
    .name = "locate",
    .arguments = "DUMP",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_locate,
};

// One step: its ranks, each with memory of its own while it is read.
typedef struct StepRead {
    Arena *arena;
    const DumpPlace *places;
    Trail *trails;
    Arena **arenas;    // by rank
    Notices *notices;  // by rank
    size_t count;
    const Redaction *redaction;  // --redact, else NULL
    Locate result;
} StepRead;

typedef struct LocateJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    DumpArgument dump;
    StepRead step;  // the one that is shown
    LocateView view;
    ReadTotals totals;
    Verdict verdict;
} LocateJob;

// The hierarchy is of use only where there is something to explain.
static const Graph *build_graph(const Dump *dump, const DumpPlace *place, Arena *scratch,
                                Notices *notices)
{
    Construct construct;
    Stacks *stacks;
    if (!nonfinite_any(dump))
        return NULL;
    dump_read_hierarchy(dump, place->folder, scratch, &construct, &stacks, notices);
    Graph *graph = ARENA_NEW(scratch, Graph);
    graph_build(dump, &construct, stacks, GRAPH_VERNIER, scratch, graph, notices);
    return graph;
}

static void read_rank(void *context, size_t index)
{
    StepRead *step = context;
    const DumpPlace *place = &step->places[index];
    Trail *trail = &step->trails[index];
    Arena *scratch = arena_new(), *arena = step->arenas[index] = arena_new();
    Dump dump;
    Error err;
    notices_init(&step->notices[index], arena);
    step->notices[index].redaction = step->redaction;
    Names *names = names_new(scratch);
    if (step->redaction)
        names_redact(names);
    Str file = redact_path(step->redaction, str_of(place->file), arena);
    *trail = (Trail){.rank = place->rank, .read = {.file = file, .partial_at = -1}};
    if (dump_read(place->file, names, scratch, &dump, &step->notices[index], &err)) {
        trail->read.bytes = dump.bytes;
        trail->read.ops = dump.op_count;
        trail->read.partial_at = dump.partial_at;
        const Graph *graph = build_graph(&dump, place, scratch, &step->notices[index]);
        trail_follow(&dump, graph, arena, trail);
        account_compare_rest(&step->notices[index].account);
    } else {
        trail->failed = true;
        notices_add_error(&step->notices[index], &err);
    }
    arena_release(scratch);
}

static void read_step(LocateJob *job, const DumpPlace *places, size_t count, StepRead *out)
{
    Arena *arena = arena_new();
    *out = (StepRead){
        .arena = arena, .places = places, .count = count, .redaction = job->notices->redaction};
    out->trails = ARENA_ARRAY(arena, Trail, count);
    out->arenas = ARENA_ARRAY(arena, Arena *, count);
    out->notices = ARENA_ARRAY(arena, Notices, count);
    int jobs = options_jobs(job->options);
    threads_run(count, jobs, read_rank, out);
    SilentDumps silent = {0};  // each may have been the origin
    for (size_t i = 0; i < count; i++) {
        notices_join(job->notices, &out->notices[i]);
        if (out->trails[i].failed)
            continue;
        console_add_read(&job->totals, &out->trails[i].read);
        silent_dumps_add(&silent, out->trails[i].tensors > 0, places[i].step, places[i].rank);
    }
    locate_step(out->trails, count, places->step, places->stage, arena, &out->result);
    silent.unsure = out->result.unsure;
    silent_dumps_tell(&silent, job->notices);
    job->view.steps++;
    job->view.tensors += out->result.tensors;
    job->view.untold += out->result.untold;
    job->view.unsure += out->result.unsure;
    job->view.healthy += out->result.healthy;
}

static void release_step(StepRead *step)
{
    for (size_t i = 0; i < step->count; i++)
        arena_release(step->arenas[i]);
    arena_release(step->arena);
    *step = (StepRead){0};
}

static size_t step_end(const DumpPlaces *places, size_t from)
{
    size_t end = from;
    while (end < places->count && places->items[end].step == places->items[from].step &&
           str_equal(places->items[end].stage, places->items[from].stage))
        end++;
    return end;
}

// Step by step up to the first one with trouble: later ones inherit it through the weights.
static void search(LocateJob *job)
{
    const DumpPlaces *places = &job->dump.places;
    size_t from = 0;
    while (from < places->count && job->step.result.origin_count == 0) {
        StepRead step;
        size_t end = step_end(places, from);
        read_step(job, &places->items[from], end - from, &step);
        if (job->step.count == 0 || step.result.origin_count) {
            release_step(&job->step);
            job->step = step;
        } else {
            release_step(&step);
        }
        from = end;
    }
    for (; from < places->count; from = step_end(places, from))
        job->view.steps_left++;
}

static void release(void *job)
{
    release_step(&((LocateJob *)job)->step);
}

static void produce(LocateJob *job, Product *out)
{
    Str base = str_printf(job->arena, "locate-step%lld", (long long)job->step.result.step);
    Scene *scene = ARENA_NEW(job->arena, Scene);
    locate_picture(&job->step.result, job->dump.shown, job->arena, scene);
    LocatePage *report = ARENA_NEW(job->arena, LocatePage);
    *report =
        (LocatePage){.view = &job->view,
                     .title = options_text(job->options, "title", ""),
                     .command = command_quote(job->options, job->notices->redaction, job->arena),
                     .figure = {scene, base}};
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    locate_page_build(report, job->arena, page);
    locate_ticket_build(report, job->arena, ticket);
    Table *sheets[3] = {locate_table_of_origins(&job->view, job->arena),
                        locate_table_of_spread(&job->view, job->arena),
                        locate_table_of_ranks(&job->view, job->arena)};
    product_facts(out, locate_summary_write, &job->view);
    product_figure(out, base, true, scene, &job->verdict);
    product_page(out, page, NULL);
    product_ticket(out, ticket, "summary");
    product_book(out, STR("locate"), true, sheets, 3);
    product_sheet(out, STR("origins"), true, sheets[0]);
    out->verdict = job->verdict;
    out->read = job->totals;
    out->tells_read = true;
    out->status = job->view.tensors == 0          ? PRODUCT_NOTHING
                  : job->step.result.origin_count ? PRODUCT_DIFFERS
                                                  : PRODUCT_AGREES;
}

static bool make_locate(const CommandCall *call, Product *out)
{
    LocateJob *job = ARENA_NEW(call->arena, LocateJob);
    *job = (LocateJob){.arena = call->arena,
                       .options = call->options,
                       .outputs = call->outputs,
                       .notices = call->notices,
                       .err = call->err};
    if (!dump_argument_find(job->options, "locate", job->arena, &job->dump, job->notices,
                            job->err) ||
        !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err))
        return false;
    out->release = release;
    out->job = job;
    search(job);
    job->view.version = VERNIER_VERSION;
    job->view.path = job->dump.shown;
    job->view.result = &job->step.result;
    job->view.dumps = job->totals.files;
    job->view.notices = job->notices;
    job->view.verdict = &job->verdict;
    locate_verdict(&job->view, notices_any_partial(job->notices), job->arena, &job->verdict);
    produce(job, out);
    return true;
}
