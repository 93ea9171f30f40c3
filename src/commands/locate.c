// SPDX-License-Identifier: Apache-2.0
#include "compare/locate.h"

#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/dump_argument.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "layout/locate_picture.h"
#include "layout/locate_report.h"

static const OptionSpec specs[] = {
    {"step", 0, OPTION_TEXT, "LIST", TR("steps to take, e.g. 0,2-5")},
    {"rank", 0, OPTION_TEXT, "LIST", TR("ranks to take, e.g. 0,2-5")},
};

static const char *const examples[] = {
    "vernier locate dump_overflow/",
    TR("the first NaN or Inf over all ranks, and how it spread, in vernier-locate/"),
    "vernier locate dump/step412 -o nan.svg -o nan.md",
    TR("one step; a picture and a text for a ticket"),
    NULL,
};

static const CommandSpec command = {
    .name = "locate",
    .arguments = "DUMP",
    .purpose = TR("Finds the first NaN or Inf over all ranks of a run, and how it spread."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

// One step: its ranks, each with memory of its own while it is read.
typedef struct StepRun {
    Arena *arena;
    const DumpPlace *places;
    Trail *trails;
    Arena **arenas;    // by rank
    Notices *notices;  // by rank
    size_t count;
    const Redaction *redaction;  // --redact, else NULL
    Locate result;
} StepRun;

typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    DumpArgument dump;
    int argc;
    char **argv;
    StepRun step;  // the one that is shown
    LocateView view;
    ReadTotals totals;
    Verdict verdict;
} Run;

// The hierarchy is of use only where there is something to explain.
static const Graph *build_graph(const Dump *dump, const DumpPlace *place, Arena *scratch,
                                Notices *notices)
{
    Construct construct;
    if (!nonfinite_any(dump))
        return NULL;
    construct_read(path_join(scratch, place->folder, STR("construct.json")), dump->names, scratch,
                   &construct, notices);
    Stacks *stacks = stacks_open(path_join(scratch, place->folder, STR("stack.json")), dump->names,
                                 scratch, notices);
    Graph *graph = ARENA_NEW(scratch, Graph);
    graph_build(dump, &construct, stacks, GRAPH_VERNIER, scratch, graph, notices);
    return graph;
}

static void read_rank(void *context, size_t index)
{
    StepRun *step = context;
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
    *trail = (Trail){
        .rank = place->rank, .read = {.file = file, .partial_at = -1}
    };
    if (dump_read(place->file, names, scratch, &dump, &step->notices[index], &err)) {
        trail->read.bytes = dump.bytes;
        trail->read.ops = dump.op_count;
        trail->read.partial_at = dump.partial_at;
        const Graph *graph = build_graph(&dump, place, scratch, &step->notices[index]);
        trail_follow(&dump, graph, arena, trail);
    } else {
        trail->failed = true;
        notices_add_error(&step->notices[index], &err);
    }
    arena_release(scratch);
}

static void read_step(Run *run, const DumpPlace *places, size_t count, StepRun *out)
{
    Arena *arena = arena_new();
    *out = (StepRun){
        .arena = arena, .places = places, .count = count, .redaction = run->notices.redaction};
    out->trails = ARENA_ARRAY(arena, Trail, count);
    out->arenas = ARENA_ARRAY(arena, Arena *, count);
    out->notices = ARENA_ARRAY(arena, Notices, count);
    int jobs = (int)options_count(&run->options, "jobs", threads_default_jobs());
    threads_run(count, jobs, read_rank, out);
    for (size_t i = 0; i < count; i++) {
        notices_join(&run->notices, &out->notices[i]);
        if (!out->trails[i].failed)
            console_add_read(&run->totals, &out->trails[i].read);
    }
    locate_step(out->trails, count, places->step, arena, &out->result);
    run->view.steps++;
    run->view.tensors += out->result.tensors;
    run->view.healthy += out->result.healthy;
}

static void release_step(StepRun *step)
{
    for (size_t i = 0; i < step->count; i++)
        arena_release(step->arenas[i]);
    arena_release(step->arena);
    *step = (StepRun){0};
}

static size_t step_end(const DumpPlaces *places, size_t from)
{
    size_t end = from;
    while (end < places->count && places->items[end].step == places->items[from].step &&
           str_equal(places->items[end].mode, places->items[from].mode))
        end++;
    return end;
}

// Step by step up to the first one with trouble: later ones inherit it through the weights.
static void search(Run *run)
{
    const DumpPlaces *places = &run->dump.places;
    size_t from = 0;
    while (from < places->count && run->step.result.origin_count == 0) {
        StepRun step;
        size_t end = step_end(places, from);
        read_step(run, &places->items[from], end - from, &step);
        if (run->step.count == 0 || step.result.origin_count) {
            release_step(&run->step);
            run->step = step;
        } else {
            release_step(&step);
        }
        from = end;
    }
    for (; from < places->count; from = step_end(places, from))
        run->view.steps_left++;
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    locate_summary_write(context, out);
    return true;
}

static void write_outputs(Run *run)
{
    Outputs *outputs = &run->outputs;
    LocateReport report = {
        .view = &run->view,
        .title = options_text(&run->options, "title", ""),
        .command = command_quote(run->argc, run->argv, run->notices.redaction, run->arena)};
    outputs_custom(outputs, "json", "summary.json", true, write_summary, &run->view);
    Scene *scene = ARENA_NEW(run->arena, Scene), *on_page = ARENA_NEW(run->arena, Scene);
    Str base = str_printf(run->arena, "locate-step%lld", (long long)run->step.result.step);
    layout_locate(&run->step.result, &run->verdict, run->dump.shown, run->arena, scene);
    outputs_scene(outputs, base.data, true, scene);
    Verdict title = {.sentence = run->verdict.sentence, .style = run->verdict.style};
    layout_locate(&run->step.result, &title, run->dump.shown, run->arena, on_page);
    report.figure = (PageFigure){on_page, base};
    Report page;
    locate_page_build(&report, run->arena, &page);
    outputs_report(outputs, "html", "index", true, &page);
    locate_ticket_build(&report, run->arena, &page);
    outputs_report(outputs, "md", "summary", true, &page);
    Table *sheets[3] = {locate_table_of_origins(&run->view, run->arena),
                        locate_table_of_spread(&run->view, run->arena),
                        locate_table_of_ranks(&run->view, run->arena)};
    outputs_tables(outputs, "xlsx", "locate", true, sheets, 3);
}

static int finish(Run *run, const Console *console)
{
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_read_line(console, &run->totals, &run->notices);
    console_verdict(console, &run->verdict);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->view.tensors == 0)
        return 3;
    if (options_flag(&run->options, "exit-zero"))
        return 0;
    if (run->step.result.origin_count)
        return 1;
    return run->verdict.partial ? 4 : 0;
}

static int locate(Run *run, const Console *console)
{
    if (!dump_argument_find(&run->options, "locate", run->arena, &run->dump, &run->notices,
                            &run->err) ||
        !outputs_plan(&run->options, "html,md,json,svg,png,xlsx", outputs_json_only, run->arena,
                      &run->outputs, &run->err)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    search(run);
    run->view.version = VERNIER_VERSION;
    run->view.path = run->dump.shown;
    run->view.result = &run->step.result;
    run->view.dumps = run->totals.files;
    run->view.notices = &run->notices;
    run->view.verdict = &run->verdict;
    locate_verdict(&run->view, notices_any_partial(&run->notices), run->arena, &run->verdict);
    write_outputs(run);
    int code = finish(run, console);
    release_step(&run->step);
    return code;
}

static int run_locate(const CommandCall *call)
{
    Run run = {
        .arena = call->arena, .options = call->options, .argc = call->argc, .argv = call->argv};
    notices_init(&run.notices, run.arena);
    return locate(&run, &call->console);
}

int command_locate(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_locate, argc, argv, collector);
}
