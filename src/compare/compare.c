// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "compare/absent.h"
#include "compare/diverge.h"
#include "compare/judge/amplify.h"
#include "compare/judge/carried.h"
#include "compare/judge/judge.h"
#include "compare/judge/merged_layout.h"
#include "compare/judge/noise.h"
#include "compare/judge/op_error.h"
#include "compare/judge/slot_source.h"
#include "compare/match/match.h"
#include "compare/match/match_kernel.h"
#include "compare/merged_ops.h"
#include "compare/noise_gradient.h"
#include "compare/nonfinite/comm_call.h"
#include "compare/not_updated.h"
#include "compare/tree_align.h"
#include "read/dump/op_name.h"
#include "read/settings/criteria_pick.h"

typedef struct Comparer {
    Comparison *out;
    const Dump *golden, *target;
    OpMatch match;
    JudgeContext context;
    const uint8_t *sources;             // by golden slot
    uint32_t last_golden, last_target;  // the last ops that have a partner
    uint8_t *runs;                      // by op pair: the coarsest type so far
    bool *golden_used;                  // by golden slot: the target's op has it too
    uint32_t next_slot;                 // of the pairs, where the next one goes
    const CriteriaIndex *criteria;      // of the user's tolerances, or NULL
    CriteriaPick picked;                // those of the op at work
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

static bool is_output(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS || slot->group == GROUP_DEBUG;
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

// Why a slot that only one side of a matched op has is no difference: the other side records none
// of its role, or lost all of it at this op (a dump that was cut in the middle of the call).
static Reason reason_of_single(const Comparer *comparer, const OpPair *op, bool golden,
                               const Slot *slot)
{
    const Dump *other = golden ? comparer->target : comparer->golden;
    uint32_t partner = golden ? op->target : op->golden;
    SlotRole role = recorded_role(slot);
    if (slot->kind == SLOT_NULL || comparer->out->kernels)
        return REASON_UNCOMPARABLE;
    const Recorded *recorded = comparer->out->recorded;
    if (recorded_lacks_role(&recorded[golden], (Direction)other->ops[partner].direction, role))
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
    pair->status = reason == REASON_UNMATCHED ? STATUS_UNMATCHED : STATUS_NO_DATA;
    pair->reason = (uint8_t)reason;
}

// Dumpers blank out the buffers that a collective fills; a tensor that it gives was lost.
static bool gift_is_lost(const Comparer *comparer, const OpPair *op, const SlotPair *pair)
{
    const Slot *golden = &comparer->golden->slots[pair->golden];
    const Slot *target = &comparer->target->slots[pair->target];
    if (!comparer->context.communication ||
        (golden->kind == SLOT_NULL) == (target->kind == SLOT_NULL))
        return false;
    const Slot *told = golden->kind == SLOT_NULL ? target : golden;
    if (told->kind != SLOT_TENSOR || !recorded_told(told) || recorded_role(told) != SLOT_INPUTS)
        return false;
    if (told == golden)
        return !comm_overwrites(comparer->golden, op->golden, comparer->out->rank, pair->golden);
    return !comm_overwrites(comparer->target, op->target, comparer->out->rank, pair->target);
}

static void judge_pair(Comparer *comparer, const OpPair *op, SlotPair *pair)
{
    double *furthest = comparer->context.furthest, before[STAT_COUNT];
    memcpy(before, furthest, sizeof before);
    judge_slots(&comparer->context, &comparer->golden->slots[pair->golden],
                &comparer->target->slots[pair->target], comparer->sources[pair->golden], pair);
    if (comparer->context.communication && status_differs((Status)pair->status) &&
        comm_overwrites(comparer->target, op->target, comparer->out->rank, pair->target)) {
        memcpy(furthest, before, sizeof before);
        pair->status = STATUS_PASS;
        pair->reason = REASON_OVERWRITTEN;
        pair->norm_error = (double)NAN;
    }
    if (gift_is_lost(comparer, op, pair))
        pair->reason = REASON_LOST;
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
        judge_pair(comparer, op, add_slot(comparer, partner, slot));
    }
    for (uint32_t i = 0; i < golden->slot_count; i++)
        if (!golden_used[i])
            add_single(comparer, op, golden->first_slot + i, SLOT_NONE);
}

// A float32 tensor that was computed from bfloat16 ones carries their noise.
static Precision see_precision(Precision run, const Dump *dump, const uint8_t *precisions,
                               const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        Precision own = (Precision)precisions[slot->dtype];
        if (epsilon_of(own) > epsilon_of(run))
            run = own;
    }
    return run;
}

static const Slot *slot_of(const Comparison *comparison, const SlotPair *pair)
{
    return pair->target != SLOT_NONE ? &comparison->target->dump->slots[pair->target]
                                     : &comparison->golden->dump->slots[pair->golden];
}

static Status status_in_op(const Comparison *comparison, const SlotPair *pair)
{
    if (pair->status != STATUS_UNMATCHED)
        return (Status)pair->status;
    return slot_of(comparison, pair)->kind == SLOT_TENSOR ? STATUS_ERROR : STATUS_WARNING;
}

// -1: all bit for bit; NaN: no tensor with a norm.
static void take_error(double *worst, const SlotPair *pair)
{
    if (isnan(pair->norm_error))
        return;
    double error = pair->status == STATUS_SAME ? -1 : pair->norm_error;
    if (isnan(*worst) || error > *worst)
        *worst = error;
}

void compare_sum_up_op(Comparison *out, OpPair *op)
{
    bool computed_differs = false, source_differs = false, result_lost = false;
    op->error_in = op->error_out = (double)NAN;
    op->status = op->input_status = op->output_status = STATUS_NO_DATA;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &out->slots[i];
        Status status = status_in_op(out, pair);
        bool output = is_output(slot_of(out, pair));
        uint8_t *side = output ? &op->output_status : &op->input_status;
        *side = (uint8_t)status_worst((Status)*side, status);
        take_error(output ? &op->error_out : &op->error_in, pair);
        result_lost |= output && status == STATUS_NO_DATA && pair->reason == REASON_LOST;
        if (!output && status_differs(status)) {
            source_differs = source_differs || pair->exact;
            computed_differs = computed_differs || !pair->exact;
        }
    }
    op->status = (uint8_t)status_worst((Status)op->input_status, (Status)op->output_status);
    // Inputs that agree say nothing of a result that nobody knows.
    if (result_lost && !status_differs((Status)op->status))
        op->status = STATUS_NO_DATA;
    op->inherited = computed_differs && !source_differs;
    op->error_in = op_error_deciding(out, op, OP_INPUTS, op->error_in);
    op->error_out = op_error_deciding(out, op, OP_OUTPUTS, op->error_out);
}

// What the op is called, and which of the user's rules are about it.
static void name_op(Comparer *comparer, const OpPair *op, Arena *arena)
{
    const Dump *target = comparer->target;
    comparer->context.op = names_text(target->names, target->ops[op->target].name);
    if (comparer->criteria)
        criteria_pick(comparer->criteria, comparer->context.op, arena, &comparer->picked);
    comparer->context.criteria = comparer->criteria ? &comparer->picked.rules : NULL;
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
    comparer->context.communication =
        str_starts(name, STR("Distributed.")) || str_starts(name, STR("MintDistributed."));
    name_op(comparer, op, arena);
    comparer->context.one_rank = merged_one_rank_op(comparer->out->golden, op->golden) ||
                                 merged_one_rank_op(comparer->out->target, op->target);
    comparer->context.unsure = is_unsure_expert(comparer, op);
    comparer->context.run = (Precision)comparer->runs[op - comparer->out->ops];
    comparer->next_slot = op->first_slot;
    pair_slots(comparer, op);
    compare_sum_up_op(comparer->out, op);
}

// Execution order: that of the target; an op that only golden has comes right after the op before
// it in golden.
static void list_ops(Comparer *comparer)
{
    Comparison *out = comparer->out;
    const OpMatch *match = &comparer->match;
    uint32_t golden_count = comparer->golden->op_count, target_count = comparer->target->op_count;
    uint32_t *first_after = ARENA_ARRAY(comparer->scratch, uint32_t, (size_t)target_count + 1);
    uint32_t *next = ARENA_ARRAY(comparer->scratch, uint32_t, golden_count);
    memset(first_after, 0xFF, ((size_t)target_count + 1) * sizeof *first_after);
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
    op->status = untold ? STATUS_NO_DATA : STATUS_UNMATCHED;
    op->input_status = op->output_status = STATUS_NO_DATA;
    op->error_in = op->error_out = (double)NAN;
}

// Weights agree to the bit when two runs start from one checkpoint, as most of them show then.
// After the first step they carry the noise of what updated them, however small: many weights of a
// small step are equal in all four statistics and prove nothing for the others.
static bool weights_are_exact(const Comparer *comparer)
{
    size_t seen = 0, equal = 0;
    if (comparer->out->step > 0)
        return false;
    for (uint32_t t = 0; t < comparer->target->op_count; t++) {
        uint32_t g = comparer->match.golden_of[t];
        if (g == OP_NONE)
            continue;
        const Op *target = &comparer->target->ops[t];
        for (uint32_t i = 0; i < target->slot_count; i++) {
            const Slot *slot = &comparer->target->slots[target->first_slot + i];
            uint32_t partner = comparer->match.golden_slot_of[target->first_slot + i];
            if (partner == SLOT_NONE || comparer->sources[partner] != SOURCE_PARAMETER)
                continue;
            seen++;
            equal +=
                judge_agree_as_told(&comparer->context, &comparer->golden->slots[partner], slot);
        }
    }
    return equal * 2 >= seen;
}

static void sum_up_pair(Comparison *out)
{
    Status worst = STATUS_NO_DATA, slots = STATUS_NO_DATA;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *op = &out->ops[i];
        out->op_counts[op->status]++;
        worst = status_worst(worst, (Status)op->status);
        out->matched_ops += op->golden != OP_NONE && op->target != OP_NONE;
        if (op->status != STATUS_UNMATCHED)
            continue;
        if (op->target == OP_NONE)
            out->unmatched_golden++;
        else if (op->golden == OP_NONE)
            out->unmatched_target++;
    }
    for (uint32_t i = 0; i < out->slot_count; i++) {
        const SlotPair *pair = &out->slots[i];
        out->slot_counts[pair->status]++;
        bool told = pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
                    pair->status != STATUS_NO_DATA;
        if (told && !status_differs((Status)pair->status))
            slots = status_worst(slots, (Status)pair->status);
        out->compared += told;
        out->compared_tensors += told && slot_of(out, pair)->kind == SLOT_TENSOR;
        out->lost += pair->reason == REASON_LOST;
        out->carried += pair->reason == REASON_CARRIED;
        if (told && isfinite(pair->norm_error) && pair->norm_error > out->largest_error) {
            out->largest_error = pair->norm_error;
            bool own = pair->metric == METRIC_NORM || pair->metric == METRIC_ELEMENTS;
            out->largest_floor = own ? (double)pair->floor : (double)NAN;
        }
    }
    // Where every op lost its results, their inputs may have been compared all the same.
    worst = worst == STATUS_NO_DATA ? slots : worst;
    out->status = worst == STATUS_UNMATCHED ? STATUS_ERROR : worst;
}

// What only shows after the first divergence is known: gradients of weights have no inputs of their
// own, and the op where the runs part starts its error itself.
static void settle_inheritance(Comparison *out)
{
    if (out->first.kind == DIVERGE_NONE)
        return;
    out->ops[out->first.op].inherited = false;
    const Dump *golden = out->golden->dump;
    for (uint32_t i = out->first.op + 1; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->golden != OP_NONE && golden->ops[op->golden].kind == OP_GRADS)
            op->inherited = true;
    }
}

// How many slots may be looked at for results before, so that the work stays linear.
#define CARRIED_BUDGET (UINT64_C(1) << 24)

// Up to the op where the runs part; what comes after it inherits.
static void settle_carried(Comparison *out, const uint8_t *sources)
{
    uint64_t budget = CARRIED_BUDGET;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->status == STATUS_UNMATCHED || !status_differs((Status)op->status))
            continue;
        if (carried_pass(out, i, sources, &budget))
            compare_sum_up_op(out, op);
        if (status_differs((Status)op->status) && op->output_status != STATUS_SAME)
            return;
    }
}

void compare_sum_up(Comparison *out, const uint8_t *sources, Arena *arena)
{
    if (out->rules == RULES_VERNIER) {
        // Measured noise and the user's tolerances say by themselves what an op may be off.
        if (!out->tolerances && !out->noise_known)
            settle_carried(out, sources);
        absent_unfelt(out);
    }
    diverge_find(out, sources);
    settle_inheritance(out);
    memset(out->op_counts, 0, sizeof out->op_counts);
    memset(out->slot_counts, 0, sizeof out->slot_counts);
    out->matched_ops = out->unmatched_golden = out->unmatched_target = 0;
    out->compared = out->compared_tensors = out->lost = out->carried = 0;
    out->largest_error = 0;
    out->largest_floor = (double)NAN;
    align_trees(out, arena);
    sum_up_pair(out);
}

// What each side tells by itself, beside the matching of both.
enum { PART_MATCH, PART_SOURCES, PART_GOLDEN, PART_TARGET, PART_COUNT };

typedef struct Parts {
    Comparer *comparer;
    const CompareOptions *options;
    Arena *arenas[PART_COUNT];
} Parts;

static void look_at_part(void *context, size_t part)
{
    Parts *parts = context;
    Comparer *comparer = parts->comparer;
    const Dump *golden = comparer->golden, *target = comparer->target;
    MatchSides sides = {golden, target, comparer->out->golden, comparer->out->target};
    Arena *arena = parts->arenas[part];
    switch (part) {
    case PART_MATCH:
        match_ops(&sides, parts->options->match, arena, &comparer->match);
        break;
    case PART_SOURCES:
        comparer->sources = source_find(golden, arena);
        break;
    case PART_GOLDEN:
        comparer->context.amplification = amplify_find(golden, arena);
        comparer->context.golden_precisions = precisions_of(golden, arena);
        recorded_collect(golden, arena, &comparer->out->recorded[0]);
        break;
    default:
        comparer->context.target_amplification = amplify_find(target, arena);
        comparer->context.target_precisions = precisions_of(target, arena);
        recorded_collect(target, arena, &comparer->out->recorded[1]);
        break;
    }
}

static void look_at_parts(Comparer *comparer, const CompareOptions *options)
{
    Parts parts = {.comparer = comparer, .options = options};
    for (int part = 0; part < PART_COUNT; part++)
        parts.arenas[part] = arena_child(part == PART_MATCH ? comparer->arena : comparer->scratch);
    threads_run(PART_COUNT, options->jobs, look_at_part, &parts);
    comparer->out->matched = comparer->match.counts;
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
    case ABSENCE_UNFELT:
        return out->listed[other];
    default:
        return true;
    }
}

// What depends on the ops before: where the slots of an op go, and the coarsest type so far.
static void lay_out_ops(Comparer *comparer)
{
    Comparison *out = comparer->out;
    const JudgeContext *context = &comparer->context;
    Precision run = PRECISION_EXACT;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        bool both = op->golden != OP_NONE && op->target != OP_NONE;
        if (!both && !was_left_out(out, op))
            continue;
        const Op *golden = op->golden == OP_NONE ? NULL : &comparer->golden->ops[op->golden];
        const Op *target = op->target == OP_NONE ? NULL : &comparer->target->ops[op->target];
        if (golden)
            run = see_precision(run, comparer->golden, context->golden_precisions, golden);
        if (target)
            run = see_precision(run, comparer->target, context->target_precisions, target);
        comparer->runs[i] = (uint8_t)run;
        if (!both)
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
    comparer.context.furthest += block * STAT_COUNT;
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
    comparer->runs = ARENA_ARRAY(comparer->scratch, uint8_t, (size_t)out->op_count + 1);
    lay_out_ops(comparer);
    size_t blocks = ((size_t)out->op_count + BLOCK_OPS - 1) / BLOCK_OPS;
    double *furthest = ARENA_ARRAY(comparer->scratch, double, blocks *STAT_COUNT);
    comparer->context.furthest = furthest;
    threads_run(blocks, jobs, compare_block, comparer);
    for (size_t i = 0; i < blocks * STAT_COUNT; i++)
        out->furthest[i % STAT_COUNT] = fmax(out->furthest[i % STAT_COUNT], furthest[i]);
    comparer->context.furthest = out->furthest;
}

static void judge_first_slots(Comparer *comparer, const OpPair *op, bool outputs)
{
    JudgeContext *context = &comparer->context;
    const Op *golden = &comparer->golden->ops[op->golden];
    const Op *target = &comparer->target->ops[op->target];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &comparer->out->slots[i];
        if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE || pair->status == STATUS_SAME)
            continue;
        const Slot *slot = &comparer->golden->slots[pair->golden];
        if (is_output(slot) != outputs || slot->kind != SLOT_TENSOR)
            continue;
        const Slot *other = &comparer->target->slots[pair->target];
        context->golden_own = outputs ? amplify_own(comparer->golden, golden, slot) : 1;
        context->target_own = outputs ? amplify_own(comparer->target, target, other) : 1;
        judge_pair(comparer, op, pair);
    }
}

static bool is_float(const Dump *dump, const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && precision_of_slot(dump->names, slot) != PRECISION_EXACT;
}

// Whether golden's op takes its numbers from a weight by indices that were given: the statistics of
// a 16-bit result hide elements that are a step off, and indices of ties; a part of it shows them.
static bool takes_given(const Comparer *comparer, uint32_t op)
{
    const Dump *dump = comparer->golden;
    const Op *record = &dump->ops[op];
    for (uint32_t i = 0; i < record->first_slot; i++)
        if (dump->slots[i].group == GROUP_OUTPUT && is_float(dump, &dump->slots[i]))
            return false;
    bool weight = false;
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        bool renorms = slot->kind == SLOT_SCALAR &&
                       STR_IN(names_text(dump->names, slot->path), "input.3", "max_norm");
        if (renorms ||
            (is_float(dump, slot) && !is_output(slot) && comparer->sources[i] != SOURCE_PARAMETER))
            return false;
        weight = weight || comparer->sources[i] == SOURCE_PARAMETER;
    }
    return weight && comparer->context.weights_exact;
}

// Whether both ops give numbers that they took, and compute none.
static bool moves_numbers(const Comparer *comparer, const OpPair *op)
{
    const Dump *dumps[2] = {comparer->golden, comparer->target};
    const uint32_t ops[2] = {op->golden, op->target};
    bool moves = !merged_any(dumps[0], dumps[1]), part = false;
    for (int side = 0; side < 2 && moves; side++) {
        const Op *record = &dumps[side]->ops[ops[side]];
        Str api = op_name_of(dumps[side]->names, record->name).type_name;
        bool takes = STR_IN(api, "embedding", "Embedding", "index_select", "gather", "__getitem__");
        part = part || takes;
        moves = record->direction == DIR_FORWARD &&
                (takes || (record->kind == OP_API &&
                           STR_IN(api, "cat", "concat", "stack", "reshape", "view", "flatten",
                                  "squeeze", "unsqueeze", "transpose", "permute", "contiguous",
                                  "clone", "expand", "roll", "flip")));
    }
    return moves && (!part || takes_given(comparer, op->golden));
}

// The first op of which anything is not equal to the bit. Where only its results are not, they can
// be off by its own rounding alone, whatever cancelled before it and whatever type the run is in.
// An input that is not was computed out of sight, from values that are equal as far as they show.
// A backward call also takes what its forward call kept: equal only where that was recorded.
static void judge_first_change(Comparer *comparer)
{
    Comparison *out = comparer->out;
    uint32_t at = 0, alike = 0;
    bool left_out = false;
    for (; at < out->op_count &&
           (out->ops[at].status == STATUS_SAME || out->ops[at].status == STATUS_NO_DATA);
         at++) {
        alike += out->ops[at].output_status == STATUS_SAME;
        left_out = left_out || out->ops[at].absence != ABSENCE_NONE;
    }
    if (at == out->op_count || out->ops[at].status == STATUS_UNMATCHED || comparer->context.noise)
        return;
    OpPair *op = &out->ops[at];
    bool outputs = op->input_status == STATUS_SAME;
    bool backward = comparer->golden->ops[op->golden].direction == DIR_BACKWARD;
    if ((!outputs && alike < ROUNDS_ALIKE) || (backward && left_out))
        return;
    JudgeContext *context = &comparer->context;
    name_op(comparer, op, comparer->scratch);
    context->run = see_precision(PRECISION_EXACT, comparer->golden, context->golden_precisions,
                                 &comparer->golden->ops[op->golden]);
    context->run = see_precision(context->run, comparer->target, context->target_precisions,
                                 &comparer->target->ops[op->target]);
    context->first_change = true;
    context->rounds_alike = !outputs;
    context->moves = outputs && moves_numbers(comparer, op);
    judge_first_slots(comparer, op, outputs);
    context->first_change = context->rounds_alike = context->moves = false;
    compare_sum_up_op(out, op);
}

static bool is_coarse_weight(const Comparer *comparer, const SlotPair *pair)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
        comparer->sources[pair->golden] != SOURCE_PARAMETER)
        return false;
    const Slot *golden = &comparer->golden->slots[pair->golden];
    const Slot *target = &comparer->target->slots[pair->target];
    return precision_of_slot(comparer->golden->names, golden) >= PRECISION_F16 &&
           precision_of_slot(comparer->target->names, target) >= PRECISION_F16;
}

// Whether a 16-bit weight of the op that differs first passes: its floor hides that it was not
// updated. `exact`: such weights are judged without one. Those of finer types show the order in
// which an optimizer rounds.
static bool judge_first_weights(Comparer *comparer, bool exact)
{
    Comparison *out = comparer->out;
    uint32_t at = 0;
    bool found = false;
    while (at < out->op_count &&
           (out->ops[at].status == STATUS_SAME || out->ops[at].status == STATUS_NO_DATA))
        at++;
    if (at == out->op_count || out->ops[at].status != STATUS_PASS)
        return false;
    OpPair *op = &out->ops[at];
    name_op(comparer, op, comparer->scratch);
    comparer->context.repeats = exact;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        if (out->slots[i].status != STATUS_PASS || !is_coarse_weight(comparer, &out->slots[i]))
            continue;
        found = true;
        if (exact)
            judge_pair(comparer, op, &out->slots[i]);
    }
    comparer->context.repeats = false;
    if (exact)
        compare_sum_up_op(out, op);
    return found;
}

void compare_graphs(const Graph *golden, const Graph *target, const CompareOptions *options,
                    Arena *arena, Comparison *out)
{
    const Dump *b = golden->dump, *n = target->dump;
    *out = (Comparison){.golden = golden,
                        .target = target,
                        .mode = options->mode,
                        .tolerances = options->criteria != NULL,
                        .kernels = match_is_kernels(b) != match_is_kernels(n),
                        .first_decided = UINT32_MAX,
                        .rules = options->rules,
                        .repeats = options->repeats,
                        .step = options->step,
                        .stage = options->stage,
                        .rank = options->rank,
                        .floor_norm = floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32)};
    Comparer comparer = {
        .out = out, .golden = b, .target = n, .arena = arena, .scratch = arena_new()};
    comparer.context =
        (JudgeContext){.golden = b, .target = n, .mode = options->mode, .recorded = out->recorded};
    if (options->criteria)
        comparer.criteria = criteria_index_new(options->criteria, comparer.scratch);
    look_at_parts(&comparer, options);
    NoiseFloor noise;
    if (options->noise_run_count) {
        NoiseSlots slots = {comparer.sources, comparer.context.amplification,
                            out->recorded[0].elements};
        noise_measure(b, &slots, options->noise_runs, options->noise_run_count, comparer.scratch,
                      &noise);
        float *share = ARENA_ARRAY(arena, float, options->noise_run_count);
        memcpy(share, noise.share, options->noise_run_count * sizeof *share);
        out->noise_share = share;
        comparer.context.noise = noise.measured ? &noise : NULL;
        out->noise_known = noise.measured;
        out->first_decided = noise.first_decided;
    }
    comparer.context.weights_exact = weights_are_exact(&comparer);
    compare_ops(&comparer, options->jobs);
    judge_first_change(&comparer);
    out->weight_passes =
        out->step > 0 && !comparer.context.noise && judge_first_weights(&comparer, false);
    if (options->repeats && out->weight_passes)
        judge_first_weights(&comparer, true);
    out->weights_asked = out->step > 0 && (not_updated_asked(out, comparer.sources) ||
                                           noise_gradient_asked(out, comparer.sources));
    for (uint32_t i = 0; options->before[0] && i < out->op_count; i++) {
        bool left = not_updated_mark(out, &out->ops[i], comparer.sources, options->before);
        if (noise_gradient_pass(out, &out->ops[i], comparer.sources, options->before) || left)
            compare_sum_up_op(out, &out->ops[i]);
    }
    NodeMatch nodes;
    match_nodes(golden, target, &comparer.match, arena, &nodes);
    out->golden_of = nodes.golden_of;
    out->target_of = nodes.target_of;
    compare_sum_up(out, comparer.sources, arena);
    arena_release(comparer.scratch);
}
