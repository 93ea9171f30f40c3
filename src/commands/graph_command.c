// SPDX-License-Identifier: Apache-2.0
// vernier graph: the hierarchy of one dump, with overflow levels.
#include <math.h>

#include "base/threads.h"
#include "base/words.h"
#include "commands/dumps/dump_argument.h"
#include "commands/dumps/parallel_places.h"
#include "commands/dumps/place_graph.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "compare/dtype_map.h"
#include "export/summary/graph_summary.h"
#include "export/vis/vis_db.h"
#include "picture/compare/hierarchy_boxes.h"
#include "picture/compare/hierarchy_picture.h"
#include "picture/kit/verdict_head.h"
#include "read/dump/place_name.h"
#include "report/compare/graph_report.h"

static const OptionSpec specs[] = {
    SELECTION_OPTIONS(0),
    PARALLEL_MERGE_OPTION,
    {"depth", 0, OPTION_COUNT, "N", TR("levels that the tree opens; default: as many as fit"), 0},
    {"rules", 0, OPTION_CHOICE, "vernier|msprobe26", TR("how the hierarchy is built"), 0},
};

static bool make_graph(const CommandCall *call, Product *out);

const CommandSpec graph_command = {
    .name = "graph",
    .arguments = "DUMP",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_graph,
};

static const OtherFormat other_formats[] = {
    VERDICT_FORMATS,
    {"nodes", ".nodes.json"},
    {"vis-db", ".db"},
    {NULL, NULL},
};

// What remains of one dump; its graph is read again where it is wanted again.
typedef struct DumpWork {
    Arena *arena;
    GraphFacts facts;
    Verdict verdict;
    Notices notices;
    FontReport fonts;
    bool output_failed;
    Error output_error;
} DumpWork;

enum { PRINT_ROWS = 40 };  // of the tree in a picture on a sheet of A4

// A dump as long as it is worked on.
typedef struct LoadedDump {
    Arena *arena;
    Graph graph;
    Hierarchy hierarchy;
} LoadedDump;

typedef struct GraphJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    DumpArgument dump;
    GraphRules rules;
    DumpWork *dumps;
    LoadedDump shown;  // the first dump that is read, for pages, workbooks and the database
    size_t shown_at;   // SIZE_MAX: none
    GraphPage report;
} GraphJob;

static bool find_places(GraphJob *job)
{
    ParallelMerge merge;
    int jobs = options_jobs(job->options);
    job->rules = str_equal(options_text(job->options, "rules", "vernier"), STR("vernier"))
                     ? GRAPH_VERNIER
                     : GRAPH_MSPROBE;
    return parallel_merge_options(job->options, job->arena, &merge, job->err) &&
           dump_argument_find(job->options, "graph", job->arena, &job->dump, job->notices,
                              job->err) &&
           (!merge.wanted || parallel_places(&merge.target, jobs, job->arena, &job->dump.places,
                                             job->notices, job->err));
}

static bool load(const DumpPlace *place, GraphRules rules, LoadedDump *out, Notices *notices)
{
    Arena *arena = out->arena = arena_new();
    if (!place_graph_read(place, rules, arena, &out->graph, notices))
        return false;
    graph_mark_overflow(&out->graph);
    hierarchy_build(&out->graph, arena, &out->hierarchy);
    return true;
}

typedef enum DrawnFor {
    ALONE,
    BESIDE_BOOK,  // the workbook lists the nodes of this dump
    ON_PAPER      // so, and the tree is open as far as its pages go
} DrawnFor;

typedef void HierarchyView(const Hierarchy *, const HierarchyOptions *, Arena *, Scene *);

static Scene *draw(const GraphJob *job, const LoadedDump *dump, HierarchyView *view, DrawnFor use,
                   Arena *arena)
{
    Scene *scene = ARENA_NEW(arena, Scene);
    uint32_t depth = use == ON_PAPER ? UINT32_MAX : 0;
    HierarchyOptions options = {.path = dump->graph.dump->path,
                                .depth = (uint32_t)options_count(job->options, "depth", depth),
                                .page_rows = use == ON_PAPER ? PRINT_ROWS : 0};
    if (use != ALONE)
        options.all_nodes = outputs_book_file(job->outputs, "graph", true, arena);
    view(&dump->hierarchy, &options, arena, scene);
    return scene;
}

static bool write_nodes(void *context, Sink *out, Error *err)
{
    (void)err;
    graph_nodes_write(context, out);
    return true;
}

static void add_picture(const GraphJob *job, HierarchyView *view, const char *base, bool main,
                        const LoadedDump *loaded, const DumpWork *dump, Product *product)
{
    const GraphFacts *place = &dump->facts;
    Scene *scene =
        picture_with_verdict(draw(job, loaded, view, main ? BESIDE_BOOK : ALONE, loaded->arena),
                             &dump->verdict, loaded->arena);
    if (job->dump.places.count > 1 && !dump->facts.first_overflow.size)
        picture_title_at(scene, place->step, place->rank, dump->verdict.sentence, loaded->arena);
    product_picture(product,
                    place_base(base, place->step, place->stage, place->rank, loaded->arena), main,
                    scene);
}

static void write_dump(const GraphJob *job, const DumpPlace *place, bool main, LoadedDump *loaded,
                       DumpWork *dump)
{
    Outputs outputs = *job->outputs;
    Product product = {.arena = loaded->arena};
    outputs.err = &dump->output_error;
    outputs.render.jobs = 1;  // dumps are worked on side by side
    outputs_watch_fonts(&outputs, &dump->fonts);
    if (outputs_want_pictures(&outputs)) {
        add_picture(job, hierarchy_picture, "graph", main, loaded, dump, &product);
        add_picture(job, hierarchy_boxes, "boxes", main, loaded, dump, &product);
    }
    Str nodes = str_printf(
        loaded->arena, STR_FMT ".json",
        STR_ARG(place_base("nodes", place->step, place->stage, place->rank, loaded->arena)));
    product_file(&product, "nodes", nodes, main, write_nodes, &loaded->graph);
    product_write_parts(&product, &outputs);
    dump->output_failed = outputs.failed;
}

// Levels go by Max, Min and Mean, as msProbe's do: NaN of a Norm next to numbers is none.
static void note_norms(const Dump *of, const char *file, Notices *notices)
{
    size_t count = 0;
    for (uint32_t i = 0; i < of->slot_count; i++) {
        double norm, max;
        count += slot_stat(&of->slots[i], STAT_NORM, &norm) && isnan(norm) &&
                 slot_stat(&of->slots[i], STAT_MAX, &max) && isfinite(max);
    }
    if (count)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(file),
                    tr_count(count, "%zu norm is NaN and no overflow level: vernier locate",
                             "%zu norms are NaN and no overflow level: vernier locate"),
                    count);
}

static void run_dump(void *context, size_t index)
{
    GraphJob *job = context;
    const DumpPlace *place = &job->dump.places.items[index];
    DumpWork *dump = &job->dumps[index];
    LoadedDump own = {0}, *loaded = index == 0 ? &job->shown : &own;
    *dump = (DumpWork){.arena = arena_new()};
    dump->facts = (GraphFacts){.step = place->step, .stage = place->stage, .rank = place->rank};
    notices_init(&dump->notices, dump->arena);
    dump->notices.redaction = job->notices->redaction;
    dump->facts.read.file = redact_path(job->notices->redaction, str_of(place->file), dump->arena);
    if (load(place, job->rules, loaded, &dump->notices)) {
        // Trouble with stacks belongs to the verdict, which comes before the database that shows
        // them.
        if (outputs_want(job->outputs, "vis-db"))
            graph_read_stacks(&loaded->graph);
        graph_facts_collect(&loaded->hierarchy, dump->arena, &dump->facts);
        note_norms(loaded->graph.dump, place->file, &dump->notices);
        graph_verdict(&dump->facts, 1, dump->facts.read.partial_at >= 0, dump->arena,
                      &dump->verdict);
        write_dump(job, place, index == 0, loaded, dump);
        if (index == 0)
            dtype_map_tell(loaded->graph.dump, NULL, &dump->notices);
    } else {
        dump->facts.failed = true;
    }
    if (index == 0 && !dump->facts.failed) {
        job->shown_at = 0;
    } else {
        arena_release(loaded->arena);
        loaded->arena = NULL;
    }
}

static void read_all(GraphJob *job)
{
    size_t count = job->dump.places.count;
    int jobs = options_jobs(job->options);
    job->dumps = ARENA_ARRAY(job->arena, DumpWork, count);
    threads_run(count, jobs, run_dump, job);
    for (size_t i = 0; i < count; i++) {
        account_compare_rest(&job->dumps[i].notices.account);
        notices_join(job->notices, &job->dumps[i].notices);
        job->outputs->fonts->missing += job->dumps[i].fonts.missing;
        job->outputs->fonts->no_fonts =
            job->outputs->fonts->no_fonts || job->dumps[i].fonts.no_fonts;
        if (job->dumps[i].output_failed) {
            job->outputs->failed = true;
            *job->err = job->dumps[i].output_error;
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
static bool load_again(const GraphJob *job, size_t index, Arena *scratch, Notices *again,
                       LoadedDump *out, Error *err)
{
    const DumpPlace *place = &job->dump.places.items[index];
    notices_init(again, scratch);
    again->redaction = job->notices->redaction;
    return (load(place, job->rules, out, again) &&
            !notices_join_new(&job->dumps[index].notices, again)) ||
           not_again(place, err);
}

static bool add_to_database(GraphJob *job, size_t index, VisDb *db, Error *err)
{
    const DumpPlace *place = &job->dump.places.items[index];
    LoadedDump own = {0}, *loaded = index == job->shown_at ? &job->shown : &own;
    Arena *scratch = arena_new();
    Notices *again = ARENA_NEW(scratch, Notices);
    notices_init(again, scratch);
    Str folder = redact_path(job->notices->redaction, str_of(place->folder), scratch);
    bool good = (loaded == &job->shown || load_again(job, index, scratch, again, &own, err)) &&
                vis_db_add_graph(db, &loaded->graph, place->step, place->rank,
                                 str_cstr(scratch, folder), err) &&
                (!notices_join_new(&job->dumps[index].notices, again) || not_again(place, err));
    if (loaded == &own)
        arena_release(own.arena);
    arena_release(scratch);
    return good;
}

static bool write_database(void *context, Sink *out, Error *err)
{
    GraphJob *job = context;
    VisDb *db = vis_db_open(sink_path(out), true, err);
    bool good = db != NULL;
    for (size_t i = 0; good && i < job->dump.places.count; i++)
        good = job->dumps[i].facts.failed || add_to_database(job, i, db, err);
    good = good && vis_db_finish(db, out, err);
    vis_db_close(db);
    return good;
}

static size_t first_read(const GraphJob *job)
{
    for (size_t i = 0; i < job->dump.places.count; i++)
        if (!job->dumps[i].facts.failed)
            return i;
    return SIZE_MAX;
}

// Of the dump that pages show.
static PageFigure figure_of(const GraphJob *job, HierarchyView *view, const char *base, size_t main,
                            DrawnFor use)
{
    const GraphFacts *facts = &job->dumps[main].facts;
    Scene *scene = draw(job, &job->shown, view, use, job->arena);
    picture_title(scene, job->dumps[main].verdict.sentence, job->arena);
    return (PageFigure){scene,
                        place_base(base, facts->step, facts->stage, facts->rank, job->arena)};
}

static void write_print(void *context, Outputs *outputs)
{
    outputs_report(outputs, "pdf", "report", context);
}

static void add_print(GraphJob *job, size_t main, Product *out)
{
    GraphPage *page = ARENA_NEW(job->arena, GraphPage);
    Report *report = ARENA_NEW(job->arena, Report);
    *page = job->report;
    page->tree = figure_of(job, hierarchy_picture, "graph", main, ON_PAPER);
    graph_page_build(page, job->arena, report);
    product_emit(out, write_print, report);
}

// Pages and workbooks show the first dump that could be read.
static void add_reports(GraphJob *job, GraphPage *report, Product *out)
{
    size_t main = first_read(job);
    Notices *again = ARENA_NEW(job->arena, Notices);
    LoadedDump *loaded = &job->shown;
    if (!outputs_want_pages(job->outputs) && !outputs_want_books(job->outputs) &&
        !outputs_want_sheets(job->outputs) && !outputs_want(job->outputs, "pdf"))
        return;
    if (main != job->shown_at && !load_again(job, main, job->arena, again, loaded, job->err)) {
        job->outputs->failed = true;
        return;
    }
    job->shown_at = main;
    if (main != SIZE_MAX) {
        report->boxes = figure_of(job, hierarchy_boxes, "boxes", main, BESIDE_BOOK);
        report->tree = figure_of(job, hierarchy_picture, "graph", main, BESIDE_BOOK);
        report->hierarchy = &loaded->hierarchy;
        Table *sheets[3] = {graph_table_of_dumps(report, job->arena),
                            graph_table_of_overflow(&loaded->hierarchy, SIZE_MAX, job->arena),
                            graph_table_of_nodes(&loaded->hierarchy, job->arena)};
        product_book(out, STR("graph"), true, sheets, 3);
        product_sheet(out, STR("nodes"), true, sheets[2]);
    }
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    graph_page_build(report, job->arena, page);
    graph_ticket_build(report, job->arena, ticket);
    product_page(out, page, NULL);
    if (main != SIZE_MAX && outputs_want(job->outputs, "pdf"))
        add_print(job, main, out);
    product_ticket(out, ticket, "summary");
}

static void release(void *context)
{
    GraphJob *job = context;
    arena_release(job->shown.arena);
    for (size_t i = 0; i < job->dump.places.count; i++)
        arena_release(job->dumps[i].arena);
}

// How large the dump would be if it saved the tensors of a step, all ranks that are here.
static void note_tensor_size(const GraphFacts *facts, size_t count, GraphJob *job)
{
    double bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (facts[i].failed || facts[i].step != facts[0].step)
            continue;
        if (str_find(facts[i].task, STR("statistics"), 0) == SIZE_MAX)
            return;
        bytes += facts[i].tensor_bytes;
    }
    if (bytes >= 1e8)
        notices_add(job->notices, NOTICE_TOLD, NOWHERE,
                    tr("a dump of the tensors of this step (task tensor) would be about %.2g GB"),
                    bytes / 1e9);
}

static void produce(GraphJob *job, Product *out)
{
    size_t count = job->dump.places.count;
    GraphFacts *facts = ARENA_ARRAY(job->arena, GraphFacts, count);
    SilentDumps silent = {0};
    for (size_t i = 0; i < count; i++) {
        facts[i] = job->dumps[i].facts;
        if (facts[i].failed)
            continue;
        console_add_read(&out->read, &facts[i].read);
        silent_dumps_add(&silent, facts[i].read.ops > facts[i].unjudged, facts[i].step,
                         facts[i].rank);
        silent.unsure += facts[i].unsure;
    }
    silent_dumps_tell(&silent, job->notices);
    note_tensor_size(facts, count, job);
    graph_verdict(facts, count, notices_any_partial(job->notices), job->arena, &out->verdict);
    job->report =
        (GraphPage){.version = VERNIER_VERSION,
                    .path = job->dump.shown,
                    .title = options_text(job->options, "title", ""),
                    .command = command_quote(job->options, job->notices->redaction, job->arena),
                    .facts = facts,
                    .count = count,
                    .verdict = &out->verdict,
                    .notices = job->notices};
    product_facts(out, graph_summary_write, &job->report);
    product_file(out, "vis-db", STR("graph.vis.db"), true, write_database, job);
    add_reports(job, &job->report, out);
    out->tells_read = true;
    out->status = out->verdict.style == STYLE_NO_DATA ? PRODUCT_NOTHING : PRODUCT_AGREES;
}

static bool make_graph(const CommandCall *call, Product *out)
{
    GraphJob *job = ARENA_NEW(call->arena, GraphJob);
    *job = (GraphJob){.arena = call->arena,
                      .options = call->options,
                      .outputs = call->outputs,
                      .notices = call->notices,
                      .err = call->err};
    if (!find_places(job) ||
        !outputs_plan(job->options, other_formats, job->arena, job->outputs, job->err) ||
        (outputs_want(job->outputs, "vis-db") && !dump_one_stage(&job->dump.places, job->err)))
        return false;
    out->release = release;
    out->job = job;
    job->shown_at = SIZE_MAX;
    read_all(job);
    produce(job, out);
    return true;
}
