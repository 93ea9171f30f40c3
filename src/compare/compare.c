// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/threads.h"
#include "compare/absent.h"
#include "compare/first_change.h"
#include "compare/flow.h"
#include "compare/judge/amplify.h"
#include "compare/judge/fold.h"
#include "compare/judge/merged_layout.h"
#include "compare/judge/noise.h"
#include "compare/match/match.h"
#include "compare/match/match_fused.h"
#include "compare/match/match_kernel.h"
#include "compare/merged_ops.h"
#include "compare/op_judge.h"
#include "compare/regrouped.h"
#include "compare/step_before.h"
#include "compare/sum_up.h"
#include "compare/weight_sums.h"
#include "read/dump/op_name.h"

typedef struct Comparer {
    Comparison *out;
    const Dump *golden, *target;
    OpMatch match;
    OpJudge judge;
    uint32_t last_golden, last_target;  // the last ops that have a partner
    uint8_t *runs;                      // by op pair: the coarsest type before it; one more
    bool *golden_used;                  // by golden slot: the target's op has it too
    uint32_t next_slot;                 // of the pairs, where the next one goes
    Arena *arena, *scratch;
} Comparer;

CompareMode compare_mode(const Dump *golden, const Dump *target)
{
    if (str_equal(golden->task, STR("structure")) && str_equal(target->task, STR("structure")))
        return MODE_STRUCTURE;
    if (golden->has_checksum && target->has_checksum)
        return MODE_CHECKSUM;
    return golden->has_data_name && target->has_data_name ? MODE_TENSOR : MODE_STATISTICS;
}

static bool lacks_role(const Dump *dump, uint32_t op, SlotRole role)
{
    const Op *record = &dump->ops[op];
    for (uint32_t i = 0; i < record->slot_count; i++)
        if (recorded_role(&dump->slots[record->first_slot + i]) == role)
            return false;
    return true;
}

static SlotPair *add_slot(Comparer *comparer, uint32_t golden, uint32_t target)
{
    Comparison *out = comparer->out;
    SlotPair *pair = &out->slots[comparer->next_slot++];
    *pair = (SlotPair){
        .golden = golden, .target = target, .error = (double)NAN, .norm_error = (double)NAN};
    return pair;
}

// What is stated is not inferred.
static bool keeps_role(const Stated *stated, Direction direction, SlotRole role)
{
    return stated && (role == SLOT_INPUTS || role == SLOT_OUTPUTS) &&
           stated_data_mode(stated, direction, role == SLOT_INPUTS ? "input" : "output") ==
               STATED_KEEPS;
}

// Why a slot that only one side of a matched op has is no difference: the other side records none
// of its role, or lost all of it at this op (a dump that was cut in the middle of the call).
static Reason reason_of_single(const Comparer *comparer, const OpPair *op, bool golden,
                               const Slot *slot)
{
    const Dump *other = golden ? comparer->target : comparer->golden;
    uint32_t partner = golden ? op->target : op->golden;
    SlotRole role = recorded_role(slot);
    const Dump *own = golden ? comparer->golden : comparer->target;
    if (slot->kind == SLOT_NULL || comparer->out->kernels ||
        op_judge_is_default(own, golden ? op->golden : op->target, slot))
        return REASON_UNCOMPARABLE;
    const Recorded *recorded = comparer->out->recorded;
    Direction direction = (Direction)other->ops[partner].direction;
    if (recorded_lacks_role(&recorded[golden], direction, role) &&
        !keeps_role(comparer->out->stated[golden], direction, role))
        return REASON_NOT_RECORDED;
    if (slot->group == GROUP_KWARGS &&
        recorded_lacks_keywords(&recorded[golden], &recorded[!golden]))
        return REASON_NOT_RECORDED;
    bool lost = role == SLOT_OUTPUTS || role == SLOT_INPUTS;
    return lost && lacks_role(other, partner, role) ? REASON_LOST : REASON_UNMATCHED;
}

static void add_single(Comparer *comparer, const OpPair *op, uint32_t golden, uint32_t target)
{
    SlotPair *pair = add_slot(comparer, golden, target);
    const Slot *slot =
        golden != SLOT_NONE ? &comparer->golden->slots[golden] : &comparer->target->slots[target];
    Reason reason = reason_of_single(comparer, op, golden != SLOT_NONE, slot);
    fold_judged(pair, reason == REASON_UNMATCHED ? STATUS_UNMATCHED : STATUS_NO_DATA, reason,
                METRIC_NONE);
}

static void pair_slots(Comparer *comparer, const OpPair *op)
{
    const Op *golden = &comparer->golden->ops[op->golden];
    const Op *target = &comparer->target->ops[op->target];
    const bool *golden_used = &comparer->golden_used[golden->first_slot];
    for (uint32_t i = 0; i < target->slot_count; i++) {
        uint32_t slot = target->first_slot + i;
        uint32_t partner = comparer->match.golden_slot_of[slot];
        if (partner == SLOT_NONE) {
            add_single(comparer, op, SLOT_NONE, slot);
            continue;
        }
        op_judge_pair(&comparer->judge, op, add_slot(comparer, partner, slot));
    }
    for (uint32_t i = 0; i < golden->slot_count; i++)
        if (!golden_used[i])
            add_single(comparer, op, golden->first_slot + i, SLOT_NONE);
}

// Which expert of the model it is, the ranks of one side do not tell for sure.
static bool is_unsure_expert(const Comparer *comparer, const OpPair *op)
{
    if (!comparer->golden->experts_unsure && !comparer->target->experts_unsure)
        return false;
    return op->target == OP_NONE ? merged_expert_op(comparer->out->golden, op->golden)
                                 : merged_expert_op(comparer->out->target, op->target);
}

static void compare_op(Comparer *comparer, OpPair *op, Arena *arena)
{
    const Op *golden = &comparer->golden->ops[op->golden];
    Str name = names_text(comparer->golden->names, golden->name);
    comparer->judge.context.communication = op_name_is_distributed(name);
    op_judge_name(&comparer->judge, op, arena);
    comparer->judge.context.one_rank = merged_one_rank_op(comparer->out->golden, op->golden) ||
                                       merged_one_rank_op(comparer->out->target, op->target);
    comparer->judge.context.unsure = is_unsure_expert(comparer, op);
    const uint8_t *runs = &comparer->runs[op - comparer->out->ops];
    comparer->judge.context.earlier = (Precision)runs[0];
    comparer->judge.context.run = (Precision)runs[1];
    comparer->next_slot = op->first_slot;
    pair_slots(comparer, op);
    fold_op(comparer->out, op);
}

// Execution order: that of the target; an op that only golden has comes right after the op before
// it in golden.
static void list_ops(Comparer *comparer)
{
    Comparison *out = comparer->out;
    const OpMatch *match = &comparer->match;
    uint32_t golden_count = comparer->golden->op_count, target_count = comparer->target->op_count;
    uint32_t *first_after = array_of_none(comparer->scratch, (size_t)target_count + 1);
    uint32_t *next = ARENA_ARRAY(comparer->scratch, uint32_t, golden_count);
    uint32_t place = 0, last = OP_NONE;  // place 0: before all target ops
    for (uint32_t i = 0; i < golden_count; i++) {
        if (match->target_of[i] != OP_NONE) {
            place = match->target_of[i] + 1;
            last = OP_NONE;
            continue;
        }
        next[i] = OP_NONE;
        if (last == OP_NONE)
            first_after[place] = i;
        else
            next[last] = i;
        last = i;
    }
    for (uint32_t place_now = 0; place_now <= target_count; place_now++) {
        if (place_now > 0)
            out->ops[out->op_count++] =
                (OpPair){.golden = match->golden_of[place_now - 1], .target = place_now - 1};
        for (uint32_t i = first_after[place_now]; i != OP_NONE; i = next[i])
            out->ops[out->op_count++] = (OpPair){.golden = i, .target = OP_NONE};
    }
}

// An op past the last one that both sides have, where the other side's file breaks off: it was cut
// away, nobody knows whether it is missing.
static bool was_cut_away(const Comparer *comparer, const OpPair *op)
{
    if (op->target == OP_NONE)
        return comparer->target->partial_at >= 0 && op->golden > comparer->last_golden;
    return comparer->golden->partial_at >= 0 && op->target > comparer->last_target;
}

// The other side has the op's entry and cannot read it: it was lost, not left out by the model.
static bool was_lost(const Comparer *comparer, const OpPair *op)
{
    bool golden = op->target == OP_NONE;
    const Dump *dump = golden ? comparer->golden : comparer->target;
    const Dump *other = golden ? comparer->target : comparer->golden;
    if (!other->unread)
        return false;
    NameId name = dump->ops[golden ? op->golden : op->target].name;
    NameId there = names_find(other->names, names_text(dump->names, name));
    return there < other->unread_names && other->unread[there];
}

// The last ops that have a partner, in the order of each file.
static void find_last_matched(Comparer *comparer)
{
    for (uint32_t i = 0; i < comparer->target->op_count; i++) {
        uint32_t golden = comparer->match.golden_of[i];
        if (golden == OP_NONE)
            continue;
        comparer->last_target = i;
        if (golden > comparer->last_golden)
            comparer->last_golden = golden;
    }
}

// Runs that share the model out otherwise talk to each other otherwise.
static bool is_of_layout(const Comparer *comparer, const OpPair *op)
{
    const Comparison *out = comparer->out;
    if (!merged_layouts_differ(comparer->golden, comparer->target))
        return false;
    return op->target == OP_NONE ? merged_layout_op(out->golden, op->golden)
                                 : merged_layout_op(out->target, op->target);
}

static void mark_unmatched(const Comparer *comparer, OpPair *op)
{
    bool untold = was_cut_away(comparer, op) || was_lost(comparer, op) ||
                  is_of_layout(comparer, op) || is_unsure_expert(comparer, op) ||
                  comparer->out->kernels;
    fold_alone(op, !untold);
}

typedef struct WeightCount {
    size_t seen, equal;
} WeightCount;

static WeightCount count_weights(const Comparer *comparer)
{
    WeightCount count = {0};
    for (uint32_t t = 0; t < comparer->target->op_count; t++) {
        uint32_t g = comparer->match.golden_of[t];
        if (g == OP_NONE)
            continue;
        const Op *target = &comparer->target->ops[t];
        for (uint32_t i = 0; i < target->slot_count; i++) {
            const Slot *slot = &comparer->target->slots[target->first_slot + i];
            uint32_t partner = comparer->match.golden_slot_of[target->first_slot + i];
            if (partner == SLOT_NONE || comparer->judge.sources[partner] != SOURCE_PARAMETER)
                continue;
            count.seen++;
            count.equal += judge_agree_as_told(&comparer->judge.context,
                                               &comparer->golden->slots[partner], slot);
        }
    }
    return count;
}

static bool both_train(const Comparer *comparer)
{
    const Dump *dumps[2] = {comparer->golden, comparer->target};
    bool trains[2] = {false, false};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < dumps[side]->op_count && !trains[side]; i++) {
            const Op *op = &dumps[side]->ops[i];
            trains[side] = op->direction == DIR_BACKWARD || op->kind == OP_GRADS;
        }
    return trains[0] && trains[1];
}

// Weights agree to the bit when two runs start from one checkpoint, as most of them show then.
// After the first step they carry the noise of what updated them, however small: many weights of a
// small step are equal in all four statistics and prove nothing for the others.
static void look_at_weights(Comparer *comparer)
{
    bool later = comparer->out->step > 0;
    WeightCount count = count_weights(comparer);
    comparer->judge.context.weights_exact = !later && count.equal * 2 >= count.seen;
    comparer->judge.context.trained = later && both_train(comparer);
    comparer->judge.parted =
        comparer->judge.context.trained && (!count.seen || count.equal < count.seen);
    comparer->judge.context.weights_untold = comparer->judge.parted && !count.seen;
}

// What each side tells by itself, next to the matching of both.
enum { PART_MATCH, PART_GOLDEN, PART_TARGET, PART_COUNT };

typedef struct Parts {
    Comparer *comparer;
    const CompareOptions *options;
    Arena *arenas[PART_COUNT], *kept[PART_COUNT];  // of the judge, of the comparison
} Parts;

static void look_at_side(Comparer *comparer, int side, Arena *arena, Arena *kept)
{
    Comparison *out = comparer->out;
    const Dump *dump = side == 0 ? comparer->golden : comparer->target;
    recorded_collect(dump, arena, &out->recorded[side]);
    out->flows[side] = flow_find(dump, kept);
    comparer->judge.context.factors[side] =
        amplify_find(out->flows[side], out->recorded[side].elements, out->without, arena);
}

static void look_at_part(void *context, size_t part)
{
    Parts *parts = context;
    Comparer *comparer = parts->comparer;
    const Dump *golden = comparer->golden, *target = comparer->target;
    MatchSides sides = {golden, target, comparer->out->golden, comparer->out->target};
    switch (part) {
    case PART_MATCH:
        match_ops(&sides, parts->options->match, parts->kept[part], &comparer->match);
        break;
    default:
        look_at_side(comparer, part == PART_GOLDEN ? 0 : 1, parts->arenas[part], parts->kept[part]);
        break;
    }
}

static void look_at_parts(Comparer *comparer, const CompareOptions *options)
{
    Parts parts = {.comparer = comparer, .options = options};
    for (int part = 0; part < PART_COUNT; part++) {
        parts.arenas[part] = arena_child(comparer->scratch);
        parts.kept[part] = arena_child(comparer->arena);
    }
    threads_run(PART_COUNT, options->jobs, look_at_part, &parts);
    comparer->out->matched = comparer->match.counts;
    comparer->judge.sources = comparer->out->flows[0]->source;
}

// ---- the ops, in blocks

// Marks the slots of the golden op that the target's op has too; gives their number.
static uint32_t mark_used(Comparer *comparer, const OpPair *op)
{
    const Op *target = &comparer->target->ops[op->target];
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->slot_count; i++) {
        uint32_t partner = comparer->match.golden_slot_of[target->first_slot + i];
        if (partner == SLOT_NONE)
            continue;
        comparer->golden_used[partner] = true;
        count++;
    }
    return count;
}

// Whether an op that one side alone holds was computed by the other too: what a setting leaves out
// was; a few calls of one API may as well be the ones that make the difference.
static bool was_left_out(const Comparison *out, const OpPair *op)
{
    int other = op->target == OP_NONE ? 1 : 0;
    switch ((Absence)op->absence) {
    case ABSENCE_NONE:
        return false;
    case ABSENCE_API:
    case ABSENCE_CALLS:
    case ABSENCE_NO_EFFECT:
        return out->listed[other];
    default:
        return true;
    }
}

// The coarsest type that made what the first op takes: after a step that trained, weights carry
// the noise of gradients in the types that the run computes in. Those of 8 bits are scaled and
// summed up in others.
static Precision precision_at_start(const Comparer *comparer)
{
    const Dump *dumps[2] = {comparer->golden, comparer->target};
    Precision run = PRECISION_EXACT;
    for (int side = 0; side < 2 && comparer->judge.context.trained; side++)
        for (uint32_t i = 0; i < dumps[side]->op_count; i++)
            run = op_judge_precision(run, comparer->out->flows[side], &dumps[side]->ops[i]);
    return run == PRECISION_F8 ? PRECISION_BF16 : run;
}

// What depends on the ops before: where the slots of an op go, and the coarsest type so far.
static void lay_out_ops(Comparer *comparer)
{
    Comparison *out = comparer->out;
    Precision run = precision_at_start(comparer);
    comparer->runs[0] = (uint8_t)run;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        const Op *golden = op->golden == OP_NONE ? NULL : &comparer->golden->ops[op->golden];
        const Op *target = op->target == OP_NONE ? NULL : &comparer->target->ops[op->target];
        comparer->runs[i + 1] = (uint8_t)run;
        if ((!golden || !target) && !was_left_out(out, op))
            continue;
        if (golden)
            run = op_judge_precision(run, out->flows[0], golden);
        if (target)
            run = op_judge_precision(run, out->flows[1], target);
        comparer->runs[i + 1] = (uint8_t)run;
        if (!golden || !target)
            continue;
        op->first_slot = out->slot_count;
        op->slot_count = golden->slot_count + target->slot_count - mark_used(comparer, op);
        out->slot_count += op->slot_count;
    }
}

enum { BLOCK_OPS = 1024 };

static void compare_block(void *context, size_t block)
{
    Comparer comparer = *(const Comparer *)context;
    Comparison *out = comparer.out;
    uint32_t from = (uint32_t)block * BLOCK_OPS;
    Arena *arena = arena_new();
    comparer.judge.context.furthest += block * STAT_COUNT;
    for (uint32_t i = from; i < out->op_count && i - from < BLOCK_OPS; i++) {
        if (out->ops[i].golden != OP_NONE && out->ops[i].target != OP_NONE)
            compare_op(&comparer, &out->ops[i], arena);
    }
    arena_release(arena);
}

static void compare_ops(Comparer *comparer, int jobs)
{
    const Dump *golden = comparer->golden, *target = comparer->target;
    Comparison *out = comparer->out;
    out->ops = ARENA_ARRAY(comparer->arena, OpPair, (size_t)golden->op_count + target->op_count);
    out->slots =
        ARENA_ARRAY(comparer->arena, SlotPair, (size_t)golden->slot_count + target->slot_count);
    list_ops(comparer);
    find_last_matched(comparer);
    for (uint32_t i = 0; i < out->op_count; i++)
        if (out->ops[i].golden == OP_NONE || out->ops[i].target == OP_NONE)
            mark_unmatched(comparer, &out->ops[i]);
    if (out->rules == RULES_VERNIER && !out->kernels)
        absent_settings(out);
    comparer->golden_used = ARENA_ARRAY(comparer->scratch, bool, (size_t)golden->slot_count + 1);
    comparer->runs = ARENA_ARRAY(comparer->scratch, uint8_t, (size_t)out->op_count + 2);
    lay_out_ops(comparer);
    size_t blocks = ((size_t)out->op_count + BLOCK_OPS - 1) / BLOCK_OPS;
    double *furthest = ARENA_ARRAY(comparer->scratch, double, blocks *STAT_COUNT);
    comparer->judge.context.furthest = furthest;
    threads_run(blocks, jobs, compare_block, comparer);
    for (size_t i = 0; i < blocks * STAT_COUNT; i++)
        out->furthest[i % STAT_COUNT] = fmax(out->furthest[i % STAT_COUNT], furthest[i]);
    comparer->judge.context.furthest = out->furthest;
}

// What the noise runs say; it has to live as long as the comparer.
static void look_at_noise(Comparer *comparer, const CompareOptions *options, NoiseFloor *noise)
{
    Comparison *out = comparer->out;
    size_t count = options->noise_run_count;
    NoiseSlots slots = {out->flows[0], comparer->judge.context.factors[0],
                        out->recorded[0].elements};
    noise_measure(comparer->golden, &slots, options->step, options->noise_runs, count,
                  comparer->scratch, noise);
    float *share = ARENA_ARRAY(comparer->arena, float, count);
    uint8_t *fits = ARENA_ARRAY(comparer->arena, uint8_t, count);
    memcpy(share, noise->share, count * sizeof *share);
    memcpy(fits, noise->fits, count);
    out->noise_share = share;
    out->noise_fits = fits;
    comparer->judge.context.noise = noise->measured ? noise : NULL;
    out->noise_known = noise->measured;
    out->first_decided = noise->first_decided;
}

void compare_graphs(const Graph *golden, const Graph *target, const CompareOptions *options,
                    Arena *arena, Comparison *out)
{
    const Dump *b = golden->dump, *n = target->dump;
    bool kernels = match_is_kernels(b) != match_is_kernels(n) || match_is_fused(b, n);
    *out = (Comparison){.golden = golden,
                        .target = target,
                        .mode = options->mode,
                        .tolerances = options->criteria != NULL,
                        .kernels = kernels,
                        .renamed_by_user =
                            options->match && (options->match->data || options->match->cells ||
                                               options->match->apis || options->match->by_layers),
                        .first_decided = UINT32_MAX,
                        .rules = options->rules,
                        .without = options->without,
                        .arena = arena,
                        .stated = {options->stated[0], options->stated[1]},
                        .step = options->step,
                        .stage = options->stage,
                        .rank = options->rank,
                        .floor_norm = floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32)};
    Comparer comparer = {.out = out,
                         .golden = b,
                         .target = n,
                         .judge = {.out = out},
                         .arena = arena,
                         .scratch = arena_new()};
    comparer.judge.context = (JudgeContext){.golden = b,
                                            .target = n,
                                            .without = options->without,
                                            .mode = options->mode,
                                            .flows = out->flows,
                                            .recorded = out->recorded};
    if (options->criteria)
        comparer.judge.criteria = criteria_index_new(options->criteria, comparer.scratch);
    look_at_parts(&comparer, options);
    NoiseFloor noise;
    if (options->noise_run_count)
        look_at_noise(&comparer, options, &noise);
    look_at_weights(&comparer);
    compare_ops(&comparer, options->jobs);
    regrouped_settle(out, arena);
    first_change_judge(&comparer.judge, comparer.scratch);
    weight_sums_pass(out);
    const Graph *before[2];
    if (out->step > 0 && options->step_before && step_before_asked(out) &&
        options->step_before(options->context, before))
        step_before_judge(out, before);
    NodeMatch nodes;
    match_nodes(golden, target, &comparer.match, arena, &nodes);
    out->golden_of = nodes.golden_of;
    out->target_of = nodes.target_of;
    sum_up_comparison(out, arena);
    arena_release(comparer.scratch);
}
