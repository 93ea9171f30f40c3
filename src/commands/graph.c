// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"
#include "base/words.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/dump_argument.h"
#include "commands/outputs.h"
#include "commands/parallel_places.h"
#include "commands/place_graph.h"
#include "commands/runner.h"
#include "layout/graph_report.h"
#include "layout/hierarchy_picture.h"
#include "layout/vis_db.h"

static const OptionSpec specs[] = {
    {"step",  0, OPTION_TEXT,   "LIST",              TR("steps to take, e.g. 0,2-5") },
    {"rank",  0, OPTION_TEXT,   "LIST",              TR("ranks to take, e.g. 0,2-5") },
    PARALLEL_MERGE_OPTION,
    {"depth", 0, OPTION_COUNT,  "N",
     TR("levels that the tree opens; default: what there is room for")               },
    {"rules", 0, OPTION_CHOICE, "vernier|msprobe26", TR("how the hierarchy is built")},
};

static const char *const examples[] = {
    "vernier graph dump/step0/rank0",
    TR("the hierarchy of one dump and its overflow levels, in vernier-graph/"),
    "vernier graph dump/ --format vis-db,json",
    TR("all ranks in one database of the graph viewer"),
    NULL,
};

static const CommandSpec command = {
    .name = "graph",
    .arguments = "DUMP",
    .purpose = TR("Shows the hierarchy of one dump, with overflow levels."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

static const OtherFormat other_formats[] = {
    {"json",   ".json"      },
    {"nodes",  ".nodes.json"},
    {"vis-db", ".db"        },
    {NULL,     NULL         },
};

// What remains of one dump; its graph is read again where it is wanted again.
typedef struct DumpRun {
    Arena *arena;
    GraphFacts facts;
    Verdict verdict;
    Notices notices;
    FontReport fonts;
    bool output_failed;
    Error output_error;
} DumpRun;

// A dump as long as it is worked on.
typedef struct LoadedDump {
    Arena *arena;
    Graph graph;
    Hierarchy hierarchy;
} LoadedDump;

typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    DumpArgument dump;
    int argc;
    char **argv;
    GraphRules rules;
    DumpRun *dumps;
    Verdict verdict;
} Run;

static bool find_places(Run *run)
{
    ParallelMerge merge;
    int jobs = (int)options_count(&run->options, "jobs", threads_default_jobs());
    run->rules = str_equal(options_text(&run->options, "rules", "vernier"), STR("vernier"))
                     ? GRAPH_VERNIER
                     : GRAPH_PEER;
    return parallel_merge_options(&run->options, run->arena, &merge, &run->err) &&
           dump_argument_find(&run->options, "graph", run->arena, &run->dump, &run->notices,
                              &run->err) &&
           (!merge.wanted || parallel_places(&merge.target, jobs, run->arena, &run->dump.places,
                                             &run->notices, &run->err));
}

static bool load(const DumpPlace *place, GraphRules rules, LoadedDump *out, Notices *notices)
{
    Arena *arena = out->arena = arena_new();
    if (!place_graph_read(place, rules, arena, &out->graph, notices))
        return false;
    graph_mark_overflow(&out->graph);
    hierarchy_build(&out->graph, place->step, place->rank, arena, &out->hierarchy);
    return true;
}

static Str base_of(const char *what, const DumpPlace *place, Arena *arena)
{
    return str_printf(arena, "%s-step%lld-rank%lld", what, (long long)place->step,
                      (long long)place->rank);
}

// `sheet`: the workbook lists the nodes of this dump.
static void draw(const Run *run, const LoadedDump *dump, const Verdict *verdict, bool sheet,
                 Arena *arena, Scene *out)
{
    HierarchyOptions options = {.path = dump->graph.dump->path,
                                .all_nodes = sheet ? STR("graph.xlsx") : (Str){0},
                                .depth = (uint32_t)options_count(&run->options, "depth", 0)};
    layout_hierarchy(&dump->hierarchy, verdict, &options, arena, out);
}

static bool write_nodes(void *context, Sink *out, Error *err)
{
    (void)err;
    graph_nodes_write(context, out);
    return true;
}

static void write_dump(const Run *run, const DumpPlace *place, bool main, LoadedDump *loaded,
                       DumpRun *dump)
{
    Outputs outputs = run->outputs;
    outputs.err = &dump->output_error;
    outputs_watch_fonts(&outputs, &dump->fonts);
    Scene *scene = ARENA_NEW(loaded->arena, Scene);
    draw(run, loaded, &dump->verdict, main && outputs_want(&run->outputs, "xlsx"), loaded->arena,
         scene);
    outputs_scene(&outputs, base_of("graph", place, loaded->arena).data, main, scene);
    Str nodes =
        str_printf(loaded->arena, STR_FMT ".json", STR_ARG(base_of("nodes", place, loaded->arena)));
    outputs_custom(&outputs, "nodes", nodes.data, main, write_nodes, &loaded->graph);
    dump->output_failed = outputs.failed;
}

static void run_dump(void *context, size_t index)
{
    Run *run = context;
    const DumpPlace *place = &run->dump.places.items[index];
    DumpRun *dump = &run->dumps[index];
    LoadedDump loaded;
    *dump = (DumpRun){.arena = arena_new()};
    dump->facts = (GraphFacts){.step = place->step, .rank = place->rank};
    notices_init(&dump->notices, dump->arena);
    dump->notices.redaction = run->notices.redaction;
    dump->facts.read.file = redact_path(run->notices.redaction, str_of(place->file), dump->arena);
    if (load(place, run->rules, &loaded, &dump->notices)) {
        // Trouble with stacks belongs to the verdict, which comes before the database that shows them.
        if (outputs_want(&run->outputs, "vis-db"))
            graph_read_stacks(&loaded.graph);
        graph_facts_collect(&loaded.hierarchy, dump->arena, &dump->facts);
        graph_verdict(&dump->facts, 1, dump->facts.read.partial_at >= 0, dump->arena,
                      &dump->verdict);
        write_dump(run, place, index == 0, &loaded, dump);
    } else {
        dump->facts.failed = true;
    }
    arena_release(loaded.arena);
}

static void read_all(Run *run)
{
    size_t count = run->dump.places.count;
    int jobs = (int)options_count(&run->options, "jobs", threads_default_jobs());
    run->dumps = ARENA_ARRAY(run->arena, DumpRun, count);
    threads_run(count, jobs, run_dump, run);
    for (size_t i = 0; i < count; i++) {
        notices_join(&run->notices, &run->dumps[i].notices);
        run->outputs.fonts->missing += run->dumps[i].fonts.missing;
        run->outputs.fonts->no_fonts = run->outputs.fonts->no_fonts || run->dumps[i].fonts.no_fonts;
        if (run->dumps[i].output_failed) {
            run->outputs.failed = true;
            run->err = run->dumps[i].output_error;
        }
    }
}

static bool not_again(const DumpPlace *place, Error *err)
{
    return error_set(err, ERR_INPUT, WHERE_FILE(place->file), "%s",
                     tr("the file could be read at first, but not again"));
}

// A dump that could be read before. Where it cannot be read now, or less of it, what would show it
// is not written. `again` has to outlive the graph: its stacks are read late.
static bool load_again(const Run *run, size_t index, Arena *scratch, Notices *again,
                       LoadedDump *out, Error *err)
{
    const DumpPlace *place = &run->dump.places.items[index];
    notices_init(again, scratch);
    again->redaction = run->notices.redaction;
    return (load(place, run->rules, out, again) &&
            !notices_join_new(&run->dumps[index].notices, again)) ||
           not_again(place, err);
}

static bool add_to_database(const Run *run, size_t index, VisDb *db, Error *err)
{
    const DumpPlace *place = &run->dump.places.items[index];
    LoadedDump loaded;
    Arena *scratch = arena_new();
    Notices *again = ARENA_NEW(scratch, Notices);
    Str folder = redact_path(run->notices.redaction, str_of(place->folder), scratch);
    bool good = load_again(run, index, scratch, again, &loaded, err) &&
                vis_db_add_graph(db, &loaded.graph, place->step, place->rank,
                                 str_cstr(scratch, folder), err) &&
                (!notices_join_new(&run->dumps[index].notices, again) || not_again(place, err));
    arena_release(loaded.arena);
    arena_release(scratch);
    return good;
}

static bool write_database(void *context, Sink *out, Error *err)
{
    Run *run = context;
    VisDb *db = vis_db_open(sink_path(out), true, err);
    bool good = db != NULL;
    for (size_t i = 0; good && i < run->dump.places.count; i++)
        good = run->dumps[i].facts.failed || add_to_database(run, i, db, err);
    good = good && vis_db_finish(db, out, err);
    vis_db_close(db);
    return good;
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    graph_summary_write(context, out);
    return true;
}

static size_t first_read(const Run *run)
{
    for (size_t i = 0; i < run->dump.places.count; i++)
        if (!run->dumps[i].facts.failed)
            return i;
    return SIZE_MAX;
}

// Pages and workbooks show the first dump that could be read.
static void write_reports(Run *run, GraphReport *report)
{
    size_t main = first_read(run);
    LoadedDump loaded = {0};
    Notices *again = ARENA_NEW(run->arena, Notices);
    if (main != SIZE_MAX && !load_again(run, main, run->arena, again, &loaded, &run->err)) {
        run->outputs.failed = true;
        arena_release(loaded.arena);
        return;
    }
    if (main != SIZE_MAX) {
        const Verdict *verdict = &run->dumps[main].verdict;
        Verdict title = {.sentence = verdict->sentence, .style = verdict->style};
        Scene *scene = ARENA_NEW(run->arena, Scene);
        draw(run, &loaded, &title, outputs_want(&run->outputs, "xlsx"), run->arena, scene);
        report->figure =
            (PageFigure){scene, base_of("graph", &run->dump.places.items[main], run->arena)};
        report->hierarchy = &loaded.hierarchy;
        Table *sheets[3] = {graph_table_of_dumps(report, run->arena),
                            graph_table_of_overflow(&loaded.hierarchy, SIZE_MAX, run->arena),
                            graph_table_of_nodes(&loaded.hierarchy, run->arena)};
        outputs_tables(&run->outputs, "xlsx", "graph", true, sheets, 3);
    }
    Report page;
    graph_page_build(report, run->arena, &page);
    outputs_report(&run->outputs, "html", "index", true, &page);
    graph_ticket_build(report, run->arena, &page);
    outputs_report(&run->outputs, "md", "summary", true, &page);
    report->hierarchy = NULL;
    arena_release(loaded.arena);
}

static int finish(Run *run, const Console *console)
{
    ReadTotals totals = {0};
    for (size_t i = 0; i < run->dump.places.count; i++)
        if (!run->dumps[i].facts.failed)
            console_add_read(&totals, &run->dumps[i].facts.read);
    outputs_note_missing(&run->outputs, &run->notices);
    console_notices(console, &run->notices);
    console_read_line(console, &totals, &run->notices);
    console_verdict(console, &run->verdict);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (totals.files == 0)
        return 3;
    return run->verdict.partial && !options_flag(&run->options, "exit-zero") ? 4 : 0;
}

static int graph(Run *run, const Console *console)
{
    if (!find_places(run) || !outputs_plan(&run->options, "html,md,json,svg,png,xlsx",
                                           other_formats, run->arena, &run->outputs, &run->err)) {
        console_notices(console, &run->notices);
        return console_error(console, &run->err);
    }
    read_all(run);
    size_t count = run->dump.places.count;
    GraphFacts *facts = ARENA_ARRAY(run->arena, GraphFacts, count);
    for (size_t i = 0; i < count; i++)
        facts[i] = run->dumps[i].facts;
    graph_verdict(facts, count, notices_any_partial(&run->notices), run->arena, &run->verdict);
    GraphReport report = {
        .version = VERNIER_VERSION,
        .path = run->dump.shown,
        .title = options_text(&run->options, "title", ""),
        .command = command_quote(run->argc, run->argv, run->notices.redaction, run->arena),
        .facts = facts,
        .count = count,
        .verdict = &run->verdict,
        .notices = &run->notices};
    outputs_custom(&run->outputs, "json", "summary.json", true, write_summary, &report);
    outputs_custom(&run->outputs, "vis-db", "graph.vis.db", true, write_database, run);
    write_reports(run, &report);
    int code = finish(run, console);
    for (size_t i = 0; i < count; i++)
        arena_release(run->dumps[i].arena);
    return code;
}

static int run_graph(const CommandCall *call)
{
    Run run = {
        .arena = call->arena, .options = call->options, .argc = call->argc, .argv = call->argv};
    notices_init(&run.notices, run.arena);
    return graph(&run, &call->console);
}

int command_graph(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_graph, argc, argv, collector);
}
