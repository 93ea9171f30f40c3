// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/pair_read.h"

#include <math.h>

#include "base/threads.h"
#include "base/words.h"
#include "commands/compare/compare_mapping.h"
#include "commands/dumps/place_graph.h"
#include "compare/compare.h"
#include "compare/judge/noise_fit.h"
#include "compare/msprobe/msprobe_metrics.h"
#include "compare/tensor/element_noise.h"
#include "compare/tensor/noise_fitness.h"
#include "model/graph/consistency.h"
#include "read/dump/dump_source.h"
#include "read/dump/place_name.h"

void compare_pair_join_late(PairGraphs *pair, Notices *notices)
{
    for (int side = 0; side < 2; side++)
        notices_move(notices, pair->late[side]);
}

// What is read lives in the store of the run, or in `arena` where there is none.
static bool read_sides(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairGraphs *out, Notices *notices)
{
    GraphRules rules = options->rules == RULES_VERNIER ? GRAPH_VERNIER : GRAPH_MSPROBE;
    StoredPair own = {.arena = arena}, *pair = &own;
    if (options->store)
        pair = pair_store_take(options->store, place, options->jobs);
    else
        stored_pair_read(place, rules, options->jobs, pair, notices->redaction);
    out->golden = pair->golden;
    out->target = pair->target;
    for (int side = 0; side < 2; side++)
        out->late[side] = pair->late[side];
    notices_join(notices, &pair->said);
    return pair->good;
}

// The noise runs of a pair: dumps, and the same with their folders.
typedef struct NoiseRuns {
    const Dump **dumps;
    ElementNoiseRun *items;
    size_t count;
} NoiseRuns;

static const char *unfit_text(NoiseFitness fitness)
{
    if (fitness == NOISE_IS_GOLDEN)
        return tr("this noise run is golden's equal bit for bit: that does not describe the "
                  "rounding of another platform; left out");
    if (fitness == NOISE_IS_TARGET)
        return tr("this noise run is the target's equal bit for bit, a copy of it: left out");
    return tr("this noise run is another one's equal bit for bit: it counts once");
}

// Takes a noise run that tells something of golden's noise; says of any other what it is.
static void take_noise(const PlacePair *sides, const PairGraphs *pair, const DumpPlace *place,
                       const Dump *dump, NoiseRuns *out, Notices *notices)
{
    ElementNoiseRun golden = {pair->golden.dump, sides->golden->folder};
    ElementNoiseRun target = {pair->target.dump, sides->target->folder};
    ElementNoiseRun run = {dump, place->folder};
    account_set_aside(&notices->account, ASIDE_NOISE, dump->slot_count);
    NoiseFitness fitness = noise_fitness(&golden, &target, out->items, out->count, &run);
    if (fitness != NOISE_FITS) {
        notices_add(notices, NOTICE_UNMET, WHERE_FILE(place->file), "%s", unfit_text(fitness));
        return;
    }
    out->dumps[out->count] = dump;
    out->items[out->count++] = run;
}

// The dumps of the noise runs for the same step and rank; one that cannot be read costs itself.
static void read_noise(const PlacePair *place, const ComparePairOptions *options,
                       const PairGraphs *pair, Arena *arena, NoiseRuns *out, Notices *notices)
{
    *out = (NoiseRuns){.dumps = ARENA_ARRAY(arena, const Dump *, options->noise_count),
                       .items = ARENA_ARRAY(arena, ElementNoiseRun, options->noise_count)};
    for (size_t run = 0; run < options->noise_count; run++) {
        const DumpPlace *found = folder_find_place(&options->noise[run], place, options->single);
        if (!found) {
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(options->noise[run].items[0].file),
                        tr("this noise run has no dump of " STR_FMT),
                        STR_ARG(place_text(place->step, place->stage, place->rank, arena)));
            continue;
        }
        if (found->parts) {
            Graph *merged = ARENA_NEW(arena, Graph);
            if (place_graph_read(found, GRAPH_VERNIER, arena, merged, notices))
                take_noise(place, pair, found, merged->dump, out, notices);
            continue;
        }
        Error err;
        Dump *dump = ARENA_NEW(arena, Dump);
        if (!dump_read(found->file, names_new(arena), arena, dump, notices, &err)) {
            notices_add_error(notices, &err);
            continue;
        }
        take_noise(place, pair, found, dump, out, notices);
    }
}

// A noise run of the same configuration has all tensors of golden but those of a few experts.
#define NOISE_WHOLE 0.9

static const char *why_no_noise(NoiseFit fit)
{
    switch (fit) {
    case NOISE_OTHER_WEIGHTS:
        return tr("this noise run starts from other weights than golden: left out");
    case NOISE_NOT_FINITE:
        return tr("this noise run holds NaN or Inf where golden holds numbers: left out");
    case NOISE_TOO_FAR:
        return tr("this noise run is no run of golden's configuration, most of its norms are off "
                  "by more than a sixth: left out");
    default:
        return tr("this noise run is of another model, most of its shapes are not golden's: left "
                  "out");
    }
}

// Runs of another model or another collection, which only shows when they are matched with golden.
static void drop_foreign_noise(const Comparison *comparison, NoiseRuns *noise, Notices *notices)
{
    size_t kept = 0;
    for (size_t run = 0; run < noise->count; run++) {
        double share = (double)comparison->noise_share[run];
        NoiseFit fit = (NoiseFit)comparison->noise_fits[run];
        if (fit != NOISE_SUITABLE) {
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(noise->dumps[run]->path.data), "%s",
                        why_no_noise(fit));
            continue;
        }
        noise->items[kept++] = noise->items[run];
        if (share < NOISE_WHOLE)
            notices_add(notices, NOTICE_WARNING, WHERE_FILE(noise->dumps[run]->path.data),
                        tr("this noise run has %.0f %% of golden's tensors: the noise of the "
                           "others is that of their like"),
                        floor(100 * share));
    }
    noise->count = kept;
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
                              .jobs = options->jobs};
    Arena *scratch = arena_new();
    TensorMetrics *metrics = elements_of_comparison(comparison, &reading, scratch, notices);
    const float *floors = noise->count ? element_noise_measure(comparison, &reading, noise->items,
                                                               noise->count, scratch, notices)
                                       : NULL;
    elements_judge(comparison, metrics, floors, options->criteria, arena);
    out->metrics = ARENA_ARRAY(arena, MsprobeMetrics, (size_t)comparison->slot_count + 1);
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        msprobe_metrics_of(&metrics[i], &out->metrics[i]);
    arena_release(scratch);
}

// The pair again under the rules of msprobe.
static bool apply_msprobe_rules(const PlacePair *place, const ComparePairOptions *options,
                                Arena *arena, PairGraphs *out, Notices *notices)
{
    Error err;
    if (!msprobe_pair(&out->golden, &out->target, options->rules, options->match, arena,
                      &out->msprobe, &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    if (out->msprobe.mode == MODE_TENSOR)
        msprobe_read_metrics(&out->msprobe, place->golden->folder, place->target->folder,
                             options->jobs, notices);
    msprobe_judge_pair(&out->msprobe, arena);
    msprobe_fill_comparison(&out->msprobe, arena, &out->comparison);
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

// Two collections of one sort have a hierarchy or have none: a side without it lost a file.
static void note_lost_hierarchy(const PlacePair *place, const PairGraphs *pair, Notices *notices)
{
    const Graph *golden = &pair->golden, *target = &pair->target;
    if (golden->flat != target->flat && golden->dump->format == target->dump->format)
        notices_add(notices, NOTICE_WARNING,
                    WHERE_FILE(golden->flat ? place->golden->file : place->target->file), "%s",
                    tr("this dump records no hierarchy of its modules (construct.json), the other "
                       "side does: ops are matched by their names only"));
}

// What one whole side does not tell of its tensors was not recorded there.
static void note_kinds(const PlacePair *place, const Comparison *comparison, Notices *notices)
{
    for (int side = 0; side < 2; side++) {
        const Recorded *own = &comparison->recorded[side], *other = &comparison->recorded[1 - side];
        Where where = WHERE_FILE(side == 0 ? place->golden->file : place->target->file);
        if (recorded_lacks_shapes(own) && !recorded_lacks_shapes(other))
            notices_add(notices, NOTICE_WARNING, where, "%s",
                        tr("this dump records the shape of no tensor: shapes are not compared"));
        if (recorded_lacks_dtypes(own) && !recorded_lacks_dtypes(other))
            notices_add(notices, NOTICE_WARNING, where, "%s",
                        tr("this dump records the dtype of no tensor: dtypes are not compared"));
    }
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
                       ": ops that one level leaves out are not compared"),
                    STR_ARG(other->level), STR_ARG(one->level));
    else
        note_lost_hierarchy(place, pair, notices);
}

// The step before, read where it is asked for.
typedef struct Before {
    const PlacePair *place, *before;
    const ComparePairOptions *options;
    PairGraphs pair;
    Notices said;  // where that pair is compared for its own sake
    Arena *arena;
} Before;

static bool read_before(void *context, const Graph *out[2])
{
    Before *of = context;
    if (!read_sides(of->before, of->options, of->arena, &of->pair, &of->said))
        return false;
    out[0] = &of->pair.golden;
    out[1] = &of->pair.target;
    return true;
}

static void compare_with_before(const PlacePair *place, const ComparePairOptions *options,
                                const CompareOptions *asked, Arena *arena, PairGraphs *out)
{
    CompareOptions compare = *asked;
    Before before = {.place = place, .options = options, .arena = arena_new()};
    notices_init(&before.said, before.arena);
    if (options->places && options->rules == RULES_VERNIER && !options->consistency.size)
        before.before = place_pair_before(options->places, place);
    compare.step_before = before.before ? read_before : NULL;
    compare.context = &before;
    compare_graphs(&out->golden, &out->target, &compare, arena, &out->comparison);
    arena_release(before.arena);
}

static void note_unfit(const PlacePair *place, const Comparison *comparison, Notices *notices)
{
    for (int side = 0; side < 2; side++)
        for (int key = 0; key < STATED_COUNT; key++)
            if (comparison->stated_unfit[side] >> key & 1)
                notices_add(notices, NOTICE_WARNING,
                            WHERE_FILE(side == 0 ? place->golden->file : place->target->file),
                            tr(STR_FMT " states another %s than this dump holds: it excuses no "
                                       "missing op"),
                            STR_ARG(comparison->stated[side]->file), stated_word((StatedKey)key));
}

bool compare_pair_read(const PlacePair *place, const ComparePairOptions *options, Arena *arena,
                       PairGraphs *out, Notices *notices)
{
    int jobs = options->jobs;
    if (!read_sides(place, options, arena, out, notices))
        return false;
    if (options->consistency.size == 0)
        note_unlike(place, out, notices);
    make_consistent(options, arena, out, notices);
    if (options->overflow) {
        graph_mark_overflow(&out->golden);
        graph_mark_overflow(&out->target);
    }
    CompareOptions compare = {.rules = options->rules,
                              .without = options->without,
                              .mode = compare_mode(out->golden.dump, out->target.dump),
                              .step = place->step,
                              .stage = place->stage,
                              .rank = place->rank,
                              .jobs = jobs,
                              .criteria = options->criteria,
                              .stated = {options->stated[0], options->stated[1]},
                              .match = options->match};
    NoiseRuns noise;
    read_noise(place, options, out, arena, &noise, notices);
    compare.noise_run_count = noise.count;
    compare.noise_runs = noise.dumps;
    compare_with_before(place, options, &compare, arena, out);
    out->comparison.precheck = options->precheck;
    out->metrics = NULL;
    drop_foreign_noise(&out->comparison, &noise, notices);
    if (noise.count && !out->comparison.noise_known)
        notices_add(
            notices, NOTICE_UNMET, WHERE_FILE(place->golden->file), "%s",
            tr("no noise run records values of the tensors of this dump: its noise is unknown"));
    if (options->rules == RULES_VERNIER) {
        note_kinds(place, &out->comparison, notices);
        note_unfit(place, &out->comparison, notices);
        compare_mapping_note(&out->comparison, notices);
    }
    if (options->rules != RULES_VERNIER)
        return apply_msprobe_rules(place, options, arena, out, notices);
    if (compare.mode == MODE_TENSOR)
        compare_elements(place, options, &noise, arena, out, notices);
    return true;
}

void compare_pair_read_stacks(PairGraphs *pair, const Outputs *outputs, Notices *notices)
{
    bool database = outputs_want(outputs, "vis-db");
    if (database)
        graph_read_stacks(&pair->golden);
    if (database || outputs_want_books(outputs) || outputs_want_sheets(outputs) ||
        pair->comparison.first.kind != DIVERGE_NONE)
        graph_read_stacks(&pair->target);
    compare_pair_join_late(pair, notices);
}
