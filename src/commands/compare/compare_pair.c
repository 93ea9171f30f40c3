// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_pair.h"

#include <assert.h>

#include "base/array.h"
#include "base/words.h"
#include "commands/compare/compare_book.h"
#include "commands/compare/compare_rows.h"
#include "commands/compare/pair_page.h"
#include "commands/compare/pair_read.h"
#include "commands/compare/rows_join.h"
#include "compare/block_errors.h"
#include "compare/criteria_fit.h"
#include "compare/dtype_map.h"
#include "compare/mapping_fit.h"
#include "compare/mapping_write.h"
#include "compare/value_account.h"
#include "compare/weights/frozen_weights.h"
#include "picture/compare/boxes.h"
#include "picture/compare/card.h"
#include "picture/compare/graph_picture.h"
#include "picture/compare/profile.h"
#include "picture/kit/verdict_head.h"
#include "read/dump/place_name.h"
#include "renderers/html.h"
#include "report/compare/tree_table.h"

static const char *missing_text(bool in_golden, bool stage)
{
    if (stage)
        return in_golden ? tr("the golden run has no dump of this step, stage and rank")
                         : tr("the target run has no dump of this step, stage and rank");
    return in_golden ? tr("the golden run has no dump of this step and rank")
                     : tr("the target run has no dump of this step and rank");
}

static void note_missing(const PlacePair *place, PairResult *out)
{
    const DumpPlace *there = place->golden ? place->golden : place->target;
    assert(there);
    out->facts.golden_missing = !place->golden;
    out->facts.target_missing = !place->target;
    notices_partial(&out->notices, WHERE_FILE(there->file), "%s",
                    missing_text(!place->golden, there->stage.size > 0));
}

static PairPicture figure(const char *what, Scene *scene, const Comparison *comparison,
                          Arena *arena)
{
    return (PairPicture){
        scene, place_base(what, comparison->step, comparison->stage, comparison->rank, arena)};
}

static uint32_t find_focus(const Comparison *comparison, Str name, Notices *notices)
{
    uint32_t row = focus_find(comparison, name);
    if (row != PAIR_NONE)
        return row;
    notices_add(
        notices, NOTICE_UNMET, NOWHERE,
        tr("--focus: " STR_FMT " has no node called '" STR_FMT "'; its first divergence is shown"),
        STR_ARG(place_text(comparison->step, comparison->stage, comparison->rank, notices->arena)),
        STR_ARG(name));
    return 0;
}

// The comparison picture: the divergence tree under the strip, or aligned boxes.
static Scene *draw_graph(const Comparison *comparison, const ComparePairOptions *options,
                         uint32_t focus, Str book, Arena *arena)
{
    if (str_equal(options->view, STR("boxes"))) {
        Scene *scene = ARENA_NEW(arena, Scene);
        BoxesOptions boxes = {.focus = focus,
                              .depth = options->depth,
                              .golden = options->sides.golden,
                              .target = options->sides.target};
        boxes_picture(comparison, &boxes, arena, scene);
        return scene;
    }
    ScenePages pages;
    GraphOptions graph = {.focus = focus,
                          .depth = options->depth,
                          .golden = options->sides.golden,
                          .target = options->sides.target,
                          .all_rows = book};
    graph_picture(comparison, &graph, arena, &pages);
    return pages.items;
}

void compare_pair_draw(const Comparison *comparison, const ComparePairOptions *options, Str book,
                       Arena *arena, PairPictures *out, Notices *notices)
{
    *out = (PairPictures){0};
    uint32_t focus = find_focus(comparison, options->focus, notices);
    out->graph =
        figure("graph", draw_graph(comparison, options, focus, book, arena), comparison, arena);
    Scene *card = ARENA_NEW(arena, Scene), *profile = ARENA_NEW(arena, Scene);
    CardOptions card_options = {.golden = options->sides.golden,
                                .target = options->sides.target,
                                .world_size = options->world_size};
    if (card_picture(comparison, &card_options, arena, card))
        out->card = figure("card", card, comparison, arena);
    ProfileOptions profile_options = {options->sides.golden, options->sides.target};
    if (profile_picture(comparison, &profile_options, arena, profile))
        out->profile = figure("profile", profile, comparison, arena);
    out->card_first = out->card.scene && str_equal(options->view, STR("card"));
}

static PageFigure page_figure(const PairPicture *picture)
{
    return (PageFigure){picture->scene, picture->file};
}

MainPair compare_pair_page(const Comparison *comparison, const PairFacts *facts,
                           const PairPictures *pictures, bool book, bool several)
{
    return (MainPair){.comparison = comparison,
                      .facts = facts,
                      .several = several,
                      .book = book,
                      .graph = page_figure(&pictures->graph),
                      .card = page_figure(&pictures->card),
                      .profile = page_figure(&pictures->profile)};
}

static Scene *with_verdict(Scene *scene, const Comparison *comparison, const Verdict *verdict,
                           Arena *arena)
{
    Scene *out = picture_with_verdict(scene, verdict, arena);
    if (!verdict->place.size)
        picture_title_at(out, comparison->step, comparison->rank, verdict->sentence, arena);
    return out;
}

PairPictures compare_pair_with_verdict(const PairPictures *pictures, const Comparison *comparison,
                                       const Verdict *verdict, Arena *arena)
{
    PairPictures out = *pictures;
    Verdict own = profile_verdict(comparison, verdict, arena);
    out.graph.scene = with_verdict(out.graph.scene, comparison, verdict, arena);
    if (out.card.scene)
        out.card.scene = with_verdict(out.card.scene, comparison, verdict, arena);
    if (out.profile.scene)
        out.profile.scene = with_verdict(out.profile.scene, comparison, &own, arena);
    return out;
}

static void add_picture(Product *product, const PairPicture *picture, bool main)
{
    if (picture->scene)
        product_picture(product, picture->file, main, picture->scene);
}

static void add_file(const char *format, Str base, const char *suffix, PairResult *out)
{
    *ARRAY_PUSH(out->arena, &out->files) =
        (PairFile){format, str_concat(out->arena, base, str_of(suffix))};
}

// Which files of its own a pair has next to its tables: those of one pair of each group of pairs
// that are equal, of what agrees none.
typedef struct PairFilesWanted {
    bool pictures, book, page;
} PairFilesWanted;

static PairFilesWanted files_wanted(const ComparePairOptions *options, const PairResult *result)
{
    bool every = options->single || options->all_pictures;
    bool pictures = every || (result->shown && result->facts.first.kind != DIVERGE_NONE);
    return (PairFilesWanted){.pictures = pictures,
                             .book = every || options->all_books || result->shown,
                             .page = options->pages && pictures};
}

Str compare_pair_book(const ComparePairOptions *options, const PairResult *result, Arena *arena)
{
    const PairFacts *facts = &result->facts;
    if (!files_wanted(options, result).book)
        return (Str){"", 0};
    Str base = options->single
                   ? STR("compare")
                   : place_base("compare", facts->step, facts->stage, facts->rank, arena);
    return outputs_book_file(options->outputs, str_cstr(arena, base), options->single, arena);
}

void compare_pair_list(const PlacePair *place, const ComparePairOptions *options, PairResult *out)
{
    const Outputs *outputs = options->outputs;
    PairFilesWanted wanted = files_wanted(options, out);
    if (!out->written_any || out->files.count)
        return;
    Str graph = place_base("graph", place->step, place->stage, place->rank, out->arena);
    Str rows = place_base("rows", place->step, place->stage, place->rank, out->arena);
    Str nodes = place_base("nodes", place->step, place->stage, place->rank, out->arena);
    Str book = compare_book_base(place, options->single, out->arena);
    for (size_t i = 0; renderers[i]; i++) {
        const Renderer *renderer = renderers[i];
        if (!outputs_folder_wants(outputs, renderer->name))
            continue;
        if (renderer->write_scene && wanted.pictures)
            add_file(renderer->name, graph, renderer->suffix, out);
        if (renderer->write_tables && (renderer->one_table || wanted.book))
            add_file(renderer->name, renderer->one_table ? rows : book, renderer->suffix, out);
        if (renderer == &html_renderer && wanted.page)
            add_file(renderer->name, pair_page_base(place, out->arena), renderer->suffix, out);
    }
    if (outputs_folder_wants(outputs, "nodes"))
        add_file("nodes", nodes, ".json", out);
}

static void add_pictures(const Comparison *comparison, const PlacePair *place,
                         const ComparePairOptions *options, bool with_page, Product *product,
                         PairResult *out)
{
    PairPictures pictures;
    Str book = compare_pair_book(options, out, product->arena);
    compare_pair_draw(comparison, options, book, product->arena, &pictures, &out->notices);
    if (with_page) {
        MainPair page = compare_pair_page(comparison, &out->facts, &pictures, book.size > 0, true);
        pair_page_add(&page, place, options, out, product);
    }
    pictures = compare_pair_with_verdict(&pictures, comparison, &out->verdict, product->arena);
    add_picture(product, &pictures.graph, options->single && !pictures.card_first);
    add_picture(product, &pictures.card, options->single && pictures.card_first);
    add_picture(product, &pictures.profile, false);
}

typedef struct PairWrite {
    const PlacePair *place;
    const ComparePairOptions *options;
    Arena *scratch;
    PairResult *out;
} PairWrite;

// The tables of all rows are written when the pair is compared, the files that show it when it is
// known which pairs are shown.
static void write_pair(const PairGraphs *pair, const PairWrite *write, PairFilesWanted wanted,
                       bool rows)
{
    PairResult *out = write->out;
    const ComparePairOptions *options = write->options;
    Outputs outputs = *options->outputs;
    FontReport fonts;
    Product product = {.arena = write->scratch, .outputs = &outputs};
    outputs.err = &out->output_error;
    outputs.render.jobs = options->jobs;
    outputs_watch_fonts(&outputs, &fonts);
    out->written.arena = out->arena;
    out->written_any = true;
    if (!rows || options->single || options->all_pictures)
        compare_pair_list(write->place, options, out);
    outputs.written = options->keep_facts ? &out->written : NULL;
    if (wanted.pictures && outputs_want_pictures(&outputs))
        add_pictures(&pair->comparison, write->place, options, wanted.page, &product, out);
    if (rows)
        compare_rows_add(pair, write->place, options, &product);
    if (wanted.book &&
        (!options->single || !options->collect_layers))  // else it has a sheet History, later
        compare_book_add(pair, write->place, options, out, &product);
    if (outputs.kept)
        product_copy(&product, &out->product);
    product_write_parts(&product, &outputs);
    if (rows && options->rows &&
        !rows_join_add(options->rows, pair, write->place, &out->rows, &out->output_error))
        outputs.failed = true;
    outputs_note_missing(&outputs, &out->notices);
    out->output_failed = out->output_failed || outputs.failed;
}

const PairGraphs *compare_pair_again(const PlacePair *place, const ComparePairOptions *options,
                                     Arena *arena, PairResult *result)
{
    Notices again;
    if (result->graphs)
        return result->graphs;
    notices_init(&again, arena);
    again.redaction = options->redaction;
    PairGraphs *graphs = ARENA_NEW(arena, PairGraphs);
    bool good = compare_pair_read(place, options, arena, graphs, &again);
    if (good)
        compare_pair_read_stacks(graphs, options->outputs, &again);
    if (notices_join_new(&result->notices, &again))
        verdict_of_pair(&result->facts, &options->sides, notices_any_partial(&result->notices),
                        result->arena, &result->verdict);
    return good ? graphs : NULL;
}

void compare_pair_show(const PlacePair *place, const ComparePairOptions *options, PairResult *out)
{
    Arena *scratch = arena_new();
    PairFilesWanted before = files_wanted(options, out);
    out->shown = true;
    PairFilesWanted wanted = files_wanted(options, out);
    wanted.book = wanted.book && !before.book && outputs_folder_wants(options->outputs, "xlsx");
    wanted.pictures = wanted.pictures && outputs_want_pictures(options->outputs);
    // Nothing is read again where nothing is written of it.
    const PairGraphs *graphs =
        wanted.book || wanted.pictures ? compare_pair_again(place, options, scratch, out) : NULL;
    if (graphs)
        write_pair(graphs, &(PairWrite){place, options, scratch, out}, wanted, false);
    arena_release(scratch);
}

// Of several pairs only those with the node can show it; that none has it is an error of the
// command line, which the only pair finds before anything is written.
static void check_focus(const Comparison *comparison, const ComparePairOptions *options,
                        PairResult *out)
{
    out->focus_missing = focus_find(comparison, options->focus) == PAIR_NONE;
    if (out->focus_missing)
        out->focus_near_count =
            focus_suggest(comparison, options->focus, out->arena, out->focus_near);
}

// Tensors whose statistics alone would differ.
static uint64_t count_contradicted(const Comparison *comparison)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        count += pair->metric == METRIC_CHECKSUM && pair->status == STATUS_SAME && pair->beyond;
    }
    return count;
}

// What makes the comparison narrower than the two dumps, next to settings of their collections.
static void note_coverage(const PlacePair *place, const Comparison *comparison,
                          const PairFacts *facts, Notices *notices)
{
    if (comparison->precheck && !facts->prechecked)
        notices_add(notices, NOTICE_UNMET, WHERE_FILE(place->target->file), "%s",
                    tr("--precheck: no op of the target is called as an API of the pre-check"));
    const Coverage *coverage = &facts->coverage;
    if (coverage_most_alone(comparison))
        notices_partial(notices, WHERE_FILE(place->target->file), "%s",
                        tr("most ops of either side have no partner on the other: are they called "
                           "otherwise? --cell-mapping and --api-mapping say how"));
    if (coverage->lost)
        notices_partial(notices, WHERE_FILE(place->target->file),
                        tr("%llu values are recorded by one side and lost on the other: they could "
                           "not be compared"),
                        (unsigned long long)coverage->lost);
    if (coverage->unmerged > coverage->compared_tensors)
        notices_partial(notices, WHERE_FILE(place->target->file), "%s",
                        tr("parallel merge: more cannot be merged over ranks with other tokens "
                           "than was compared"));
    if (coverage->nan_alone && facts->first.kind == DIVERGE_NONE)
        notices_partial(notices, WHERE_FILE(place->target->file), "%s",
                        tr("the target holds NaN or Inf in tensors of which golden records "
                           "nothing: they could not be compared"));
    uint64_t contradicted = count_contradicted(comparison);
    if (contradicted)
        notices_partial(notices, WHERE_FILE(place->target->file),
                        tr("equal checksums come with statistics that differ (%llu times): the "
                           "checksums count; one of the two was written wrongly"),
                        (unsigned long long)contradicted);
    for (int side = 0; side < 2; side++)
        if (coverage->ends_early[side])
            notices_partial(notices,
                            WHERE_FILE(side == 0 ? place->golden->file : place->target->file), "%s",
                            tr("the dump has none of the first or the last ops of the other side: "
                               "part of it was lost, or its collection was set so"));
}

// The target's place where it is another one than golden's: "rank 2", "step 3, rank 0".
static Str place_against(const PlacePair *place, Arena *arena)
{
    const DumpPlace *golden = place->golden, *target = place->target;
    if (golden->has_step && target->has_step && golden->step != target->step)
        return place_text(target->step, target->stage, target->rank, arena);
    if (golden->has_rank && target->has_rank && golden->rank != target->rank)
        return str_printf(arena, tr("rank %lld"), (long long)target->rank);
    return (Str){"", 0};
}

static void note_comparison(const PlacePair *place, const Comparison *comparison,
                            const MatchOptions *match, PairResult *out)
{
    if (match)
        mapping_fit(comparison, match, &out->facts);
    note_coverage(place, comparison, &out->facts, &out->notices);
    dtype_map_tell(comparison->golden->dump, comparison->target->dump, &out->notices);
    block_errors_tell(comparison, &out->notices);
    frozen_weights_tell(comparison, &out->notices);
}

void compare_pair_run(const PlacePair *place, const ComparePairOptions *options, PairResult *out)
{
    *out = (PairResult){.arena = arena_new()};
    notices_init(&out->notices, out->arena);
    out->product.arena = out->arena;
    out->notices.redaction = options->redaction;
    out->facts = pair_facts_unread(place->step, place->stage, place->rank);
    Arena *scratch = arena_new();
    PairGraphs *graphs = ARENA_NEW(scratch, PairGraphs);
    bool compared = false;
    if (!place->golden || !place->target)
        note_missing(place, out);
    else if (!compare_pair_read(place, options, scratch, graphs, &out->notices))
        out->facts.failed = true;
    else
        compared = true;
    if (compared) {
        facts_collect(&graphs->comparison, options->world_size, out->arena, &out->facts);
        value_account_add(&graphs->comparison, &out->notices.account);
        out->facts.against = place_against(place, out->arena);
    } else {
        account_set_aside(&out->notices.account, ASIDE_LOST, account_open(&out->notices.account));
    }
    if (compared && options->rules == RULES_VERNIER)
        note_comparison(place, &graphs->comparison, options->match, out);
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
    if (compared && options->tree)
        out->tree = table_of_tree(&graphs->comparison, out->arena);
    if (compared)
        check_focus(&graphs->comparison, options, out);
    bool nothing = options->single && out->facts.status == STATUS_NO_DATA &&
                   !options->outputs->kept && !outputs_named(options->outputs);
    if (compared && !(out->focus_missing && options->single) && !nothing)
        write_pair(graphs, &(PairWrite){place, options, scratch, out}, files_wanted(options, out),
                   true);
    if (compared)
        compare_pair_join_late(graphs, &out->notices);
    if (compared && options->keeps) {
        out->graphs = graphs;
        out->graphs_arena = scratch;
        return;
    }
    arena_release(scratch);
}

void compare_pair_drop(PairResult *result)
{
    arena_release(result->graphs_arena);
    result->graphs = NULL;
    result->graphs_arena = NULL;
}

void compare_pair_release(PairResult *result)
{
    compare_pair_drop(result);
    arena_release(result->arena);
}
