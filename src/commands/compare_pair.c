// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_pair.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/compare_book.h"
#include "commands/compare_mapping.h"
#include "commands/compare_rows.h"
#include "commands/place_graph.h"
#include "compare/criteria_fit.h"
#include "compare/element_noise.h"
#include "compare/mapping_write.h"
#include "compare/peer_metrics.h"
#include "layout/boxes.h"
#include "layout/card.h"
#include "layout/graph_picture.h"
#include "layout/profile.h"
#include "model/consistency.h"

// Both sides at once where there are threads for it.
typedef struct Sides {
    const PlacePair *place;
    GraphRules rules;
    Arena *arenas[2];
    Graph *graphs[2];
    Notices *notices[2];
    bool good[2];
} Sides;

static void read_one_side(void *context, size_t side)
{
    Sides *sides = context;
    const DumpPlace *place = side == 0 ? sides->place->golden : sides->place->target;
    sides->good[side] = place_graph_read(place, sides->rules, sides->arenas[side],
                                         sides->graphs[side], sides->notices[side]);
}

// Moves what was noted of both sides since the last time.
static void join_late(PairGraphs *pair, Notices *notices)
{
    for (int side = 0; side < 2; side++) {
        notices_join(notices, pair->late[side]);
        pair->late[side]->count = 0;
    }
}

static bool read_sides(const PlacePair *place, GraphRules rules, int jobs, Arena *arena,
                       PairGraphs *out, Notices *notices)
{
    Sides sides = {
        .place = place,
        .rules = rules,
        .arenas = {arena_child(arena), arena_child(arena)},
        .graphs = {&out->golden,       &out->target      }
    };
    for (int side = 0; side < 2; side++) {
        sides.notices[side] = out->late[side] = ARENA_NEW(sides.arenas[side], Notices);
        notices_init(sides.notices[side], sides.arenas[side]);
        sides.notices[side]->redaction = notices->redaction;
    }
    threads_run(2, jobs, read_one_side, &sides);
    join_late(out, notices);
    return sides.good[0] && sides.good[1];
}

// The noise runs of a pair: dumps, and the same with their folders.
typedef struct NoiseRuns {
    const Dump **dumps;
    ElementNoiseRun *items;
    size_t count;
} NoiseRuns;

// The dumps of the noise runs for the same step and rank; one that cannot be read costs itself.
static void read_noise(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       NoiseRuns *out, Notices *notices)
{
    *out = (NoiseRuns){.dumps = ARENA_ARRAY(arena, const Dump *, options->noise_count),
                       .items = ARENA_ARRAY(arena, ElementNoiseRun, options->noise_count)};
    for (size_t run = 0; run < options->noise_count; run++) {
        const DumpPlace *found = folder_find_place(&options->noise[run], place, options->single);
        if (!found) {
            notices_add(notices, NOTICE_WARNING, WHERE_FILE(options->noise[run].items[0].file),
                        tr("this noise run has no dump of step %lld, rank %lld"),
                        (long long)place->step, (long long)place->rank);
            continue;
        }
        if (found->parts) {
            Graph *merged = ARENA_NEW(arena, Graph);
            if (place_graph_read(found, GRAPH_VERNIER, arena, merged, notices)) {
                out->dumps[out->count] = merged->dump;
                out->items[out->count++] = (ElementNoiseRun){merged->dump, found->folder};
            }
            continue;
        }
        Error err;
        Dump *dump = ARENA_NEW(arena, Dump);
        if (!dump_read(found->file, names_new(arena), arena, dump, notices, &err)) {
            notices_add_error(notices, &err);
            continue;
        }
        out->dumps[out->count] = dump;
        out->items[out->count++] = (ElementNoiseRun){dump, found->folder};
    }
}

// Threads for the tensors of one pair: several pairs share them already.
static int tensor_jobs(const ComparePairOptions *options)
{
    return options->single ? options->jobs : 1;
}

// Tensor mode: the pair again by the elements of its tensors.
static void compare_elements(const PlacePair *place, const ComparePairOptions *options,
                             const NoiseRuns *noise, Arena *arena, PairGraphs *out,
                             Notices *notices)
{
    Comparison *comparison = &out->comparison;
    ElementReading reading = {.golden = out->golden.dump,
                              .target = out->target.dump,
                              .golden_folder = place->golden->folder,
                              .target_folder = place->target->folder,
                              .rules = RULES_VERNIER,
                              .jobs = tensor_jobs(options)};
    Arena *scratch = arena_new();
    TensorMetrics *metrics = elements_of_comparison(comparison, &reading, scratch, notices);
    const float *floors = noise->count ? element_noise_measure(comparison, &reading, noise->items,
                                                               noise->count, scratch, notices)
                                       : NULL;
    elements_judge(comparison, metrics, floors, arena);
    out->metrics = ARENA_ARRAY(arena, PeerMetrics, (size_t)comparison->slot_count + 1);
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        peer_metrics_of(&metrics[i], &out->metrics[i]);
    arena_release(scratch);
}

// The pair again under the rules of msprobe.
static bool apply_peer_rules(const PlacePair *place, const ComparePairOptions *options,
                             Arena *arena, PairGraphs *out, Notices *notices)
{
    Error err;
    if (!peer_pair(&out->golden, &out->target, options->rules, options->match, arena, &out->peer,
                   &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    if (out->peer.mode == MODE_TENSOR)
        peer_read_metrics(&out->peer, place->golden->folder, place->target->folder,
                          tensor_jobs(options), notices);
    peer_judge_pair(&out->peer, arena);
    peer_fill_comparison(&out->peer, arena, &out->comparison);
    return true;
}

// Both sides under common names.
static void make_consistent(const ComparePairOptions *options, Arena *arena, PairGraphs *out,
                            Notices *notices)
{
    if (options->consistency.size == 0)
        return;
    bool fsdp = str_equal(options->consistency, STR("fsdp"));
    Graph *golden = ARENA_NEW(arena, Graph), *target = ARENA_NEW(arena, Graph);
    *golden = out->golden;
    *target = out->target;
    consistency_graph(golden, CONSISTENCY_INFERENCE, arena, &out->golden, notices);
    consistency_graph(target, fsdp ? CONSISTENCY_FSDP : CONSISTENCY_MEGATRON, arena, &out->target,
                      notices);
}

// What makes a comparison of two good dumps doubtful.
static void note_unlike(const PlacePair *place, const PairGraphs *pair, Notices *notices)
{
    const DumpPlace *golden = place->golden, *target = place->target;
    const Dump *one = pair->golden.dump, *other = pair->target.dump;
    if ((golden->has_step && target->has_step && golden->step != target->step) ||
        (golden->has_rank && target->has_rank && golden->rank != target->rank))
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(target->file),
                    tr("step %lld, rank %lld of the target is compared with step %lld, rank %lld "
                       "of golden: each is the only dump of its side"),
                    (long long)target->step, (long long)target->rank, (long long)golden->step,
                    (long long)golden->rank);
    if (one->level.size && other->level.size && !str_equal(one->level, other->level))
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(target->file),
                    tr("the target was dumped at level " STR_FMT ", golden at level " STR_FMT
                       ": ops that one level leaves out have no partner"),
                    STR_ARG(other->level), STR_ARG(one->level));
}

bool compare_pair_read(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairGraphs *out, Notices *notices)
{
    GraphRules rules = options->rules == RULES_VERNIER ? GRAPH_VERNIER : GRAPH_PEER;
    int jobs = options->single ? options->jobs : 1;
    if (!read_sides(place, rules, jobs, arena, out, notices))
        return false;
    if (options->consistency.size == 0)
        note_unlike(place, out, notices);
    make_consistent(options, arena, out, notices);
    if (options->overflow) {
        graph_mark_overflow(&out->golden);
        graph_mark_overflow(&out->target);
    }
    CompareOptions compare = {.rules = options->rules,
                              .mode = compare_mode(out->golden.dump, out->target.dump),
                              .step = place->step,
                              .rank = place->rank,
                              .jobs = jobs,
                              .criteria = options->criteria,
                              .match = options->match};
    NoiseRuns noise;
    read_noise(place, options, arena, &noise, notices);
    compare.noise_run_count = noise.count;
    compare.noise_runs = noise.dumps;
    compare_graphs(&out->golden, &out->target, &compare, arena, &out->comparison);
    out->metrics = NULL;
    if (options->noise_count && !out->comparison.noise_known)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(place->golden->file), "%s",
                    tr("no noise run has a tensor of this dump: its noise is unknown"));
    if (options->rules == RULES_VERNIER)
        compare_mapping_note(&out->comparison, notices);
    if (options->rules != RULES_VERNIER)
        return apply_peer_rules(place, options, arena, out, notices);
    if (compare.mode == MODE_TENSOR)
        compare_elements(place, options, &noise, arena, out, notices);
    return true;
}

static void note_missing(const PlacePair *place, PairResult *out)
{
    const DumpPlace *there = place->golden ? place->golden : place->target;
    assert(there);
    out->facts.golden_missing = !place->golden;
    out->facts.target_missing = !place->target;
    notices_partial(&out->notices, WHERE_FILE(there->file), "%s",
                    place->golden ? tr("the target run has no dump of this step and rank")
                                  : tr("the golden run has no dump of this step and rank"));
}

Str compare_pair_base(const char *what, const PlacePair *place, Arena *arena)
{
    return str_printf(arena, "%s-step%lld-rank%lld", what, (long long)place->step,
                      (long long)place->rank);
}

static PageFigure figure(const char *what, const Scene *scene, const Comparison *comparison,
                         Arena *arena)
{
    PlacePair place = {.step = comparison->step, .rank = comparison->rank};
    return (PageFigure){scene, compare_pair_base(what, &place, arena)};
}

static uint32_t find_focus(const Comparison *comparison, Str name, Notices *notices)
{
    uint32_t row = focus_find(comparison, name);
    if (row != PAIR_NONE)
        return row;
    notices_add(notices, NOTICE_WARNING, NOWHERE,
                tr("--focus: step %lld, rank %lld has no node called '" STR_FMT
                   "'; its first divergence is shown"),
                (long long)comparison->step, (long long)comparison->rank, STR_ARG(name));
    return 0;
}

// The comparison picture: the divergence tree under the strip, or aligned boxes.
static const Scene *draw_graph(const Comparison *comparison, const Verdict *verdict,
                               const ComparePairOptions *options, uint32_t focus, Arena *arena)
{
    if (str_equal(options->view, STR("boxes"))) {
        Scene *scene = ARENA_NEW(arena, Scene);
        BoxesOptions boxes = {.focus = focus,
                              .depth = options->depth,
                              .golden = options->sides.golden,
                              .target = options->sides.target};
        layout_boxes(comparison, verdict, &boxes, arena, scene);
        return scene;
    }
    ScenePages pages;
    GraphOptions graph = {.focus = focus,
                          .depth = options->depth,
                          .golden = options->sides.golden,
                          .target = options->sides.target,
                          .all_rows = STR("compare.xlsx")};
    layout_graph(comparison, verdict, &graph, arena, &pages);
    return pages.items;
}

void compare_pair_draw(const Comparison *comparison, const Verdict *verdict,
                       const ComparePairOptions *options, Arena *arena, PairPictures *out,
                       Notices *notices)
{
    *out = (PairPictures){0};
    uint32_t focus = find_focus(comparison, options->focus, notices);
    out->graph =
        figure("graph", draw_graph(comparison, verdict, options, focus, arena), comparison, arena);
    Scene *card = ARENA_NEW(arena, Scene), *profile = ARENA_NEW(arena, Scene);
    CardOptions card_options = {.golden = options->sides.golden,
                                .target = options->sides.target,
                                .world_size = options->world_size};
    if (layout_card(comparison, verdict, &card_options, arena, card))
        out->card = figure("card", card, comparison, arena);
    ProfileOptions profile_options = {options->sides.golden, options->sides.target};
    if (layout_profile(comparison, verdict, &profile_options, arena, profile))
        out->profile = figure("profile", profile, comparison, arena);
    out->card_first = out->card.scene && str_equal(options->view, STR("card"));
}

static void write_picture(Outputs *outputs, const PageFigure *figure, bool single)
{
    if (figure->scene)
        outputs_scene(outputs, figure->file.data, single, figure->scene);
}

// The files of the pair in the folder, by format.
static void list_files(const Outputs *outputs, const PlacePair *place, bool pictures, bool single,
                       PairResult *out)
{
    static const struct {
        const char *format, *base, *suffix;
    } files[] = {
        {"svg",   "graph",   ".svg" },
        {"png",   "graph",   ".png" },
        {"pdf",   "graph",   ".pdf" },
        {"xlsx",  "compare", ".xlsx"},
        {"csv",   "rows",    ".csv" },
        {"nodes", "nodes",   ".json"}
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool picture = strcmp(files[i].base, "graph") == 0;
        if (!outputs_folder_wants(outputs, files[i].format) || (picture && !pictures))
            continue;
        bool plain = single && strcmp(files[i].base, "compare") == 0;
        Str base = plain ? STR("compare") : compare_pair_base(files[i].base, place, out->arena);
        *ARRAY_PUSH(out->arena, &out->files) =
            (PairFile){files[i].format, str_concat(out->arena, base, str_of(files[i].suffix))};
    }
}

// Pictures of a pair that agrees are of no use beside those of others that do not.
static void write_pair(const PairGraphs *pair, const PlacePair *place,
                       const ComparePairOptions *options, Arena *scratch, PairResult *out)
{
    const Comparison *comparison = &pair->comparison;
    Outputs outputs = *options->outputs;
    FontReport fonts;
    outputs.err = &out->output_error;
    outputs.collector = options->outputs->collector ? &out->collected : NULL;
    outputs_watch_fonts(&outputs, &fonts);
    out->written.arena = out->arena;
    outputs.written = options->keep_facts ? &out->written : NULL;
    bool draws = options->single || comparison->first.kind != DIVERGE_NONE;
    if (draws && outputs_want_pictures(&outputs)) {
        PairPictures pictures;
        compare_pair_draw(comparison, &out->verdict, options, scratch, &pictures, &out->notices);
        write_picture(&outputs, &pictures.graph, options->single && !pictures.card_first);
        write_picture(&outputs, &pictures.card, options->single && pictures.card_first);
        write_picture(&outputs, &pictures.profile, false);
    }
    compare_rows_write(pair, place, options, &outputs);
    if (!options->single || !options->collect_layers)  // else it has a sheet History, later
        compare_book_write(pair, place, options, out, &outputs);
    list_files(&outputs, place, draws, options->single, out);
    outputs_note_missing(&outputs, &out->notices);
    out->output_failed = outputs.failed;
}

// Of several pairs only those with the node can show it; that none has it is an error of the command
// line, which the only pair finds before anything is written.
static void check_focus(const Comparison *comparison, const ComparePairOptions *options,
                        PairResult *out)
{
    out->focus_missing = focus_find(comparison, options->focus) == PAIR_NONE;
    if (out->focus_missing)
        out->focus_near_count =
            focus_suggest(comparison, options->focus, out->arena, out->focus_near);
}

void compare_pair_read_stacks(PairGraphs *pair, const Outputs *outputs, Notices *notices)
{
    bool database = outputs_want(outputs, "vis-db");
    if (database)
        graph_read_stacks(&pair->golden);
    if (database || outputs_want(outputs, "xlsx") || outputs_want(outputs, "csv") ||
        pair->comparison.first.kind != DIVERGE_NONE)
        graph_read_stacks(&pair->target);
    join_late(pair, notices);
}

void compare_pair_run(const PlacePair *place, const ComparePairOptions *options, PairResult *out)
{
    *out = (PairResult){.arena = arena_new()};
    notices_init(&out->notices, out->arena);
    collector_init(&out->collected, out->arena);
    out->notices.redaction = options->redaction;
    out->facts = pair_facts_unread(place->step, place->rank);
    Arena *scratch = arena_new();
    PairGraphs *graphs = ARENA_NEW(scratch, PairGraphs);
    bool compared = false;
    if (!place->golden || !place->target)
        note_missing(place, out);
    else if (!compare_pair_read(place, options, scratch, graphs, &out->notices))
        out->facts.failed = true;
    else
        compared = true;
    if (compared)
        facts_collect(&graphs->comparison, out->arena, &out->facts);
    if (compared && options->criteria)
        out->facts.criteria_fit = criteria_fit(&graphs->comparison, options->criteria, out->arena);
    if (compared)
        compare_pair_read_stacks(graphs, options->outputs, &out->notices);
    verdict_of_pair(&out->facts, &options->sides, notices_any_partial(&out->notices), out->arena,
                    &out->verdict);
    if (compared && (options->keep_facts || outputs_want(options->outputs, "junit")))
        junit_collect(&graphs->comparison, out->arena, &out->cases);
    if (compared && (options->collect_layers || options->keep_facts))
        layers_collect(&graphs->comparison, out->arena, &out->layers);
    if (compared && options->collect_mapping)
        mapping_collect(&graphs->comparison, out->arena, &out->mapping);
    if (compared && options->collect_layer_mapping)
        mapping_collect_layers(&graphs->comparison, out->arena, &out->layer_mapping);
    if (compared)
        check_focus(&graphs->comparison, options, out);
    if (compared && !(out->focus_missing && options->single))
        write_pair(graphs, place, options, scratch, out);
    if (compared)
        join_late(graphs, &out->notices);
    if (compared && options->single) {
        out->graphs = graphs;
        out->graphs_arena = scratch;
        return;
    }
    arena_release(scratch);
}

void compare_pair_release(PairResult *result)
{
    arena_release(result->graphs_arena);
    arena_release(result->arena);
}
