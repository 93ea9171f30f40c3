// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "compare/align.h"
#include "compare/amplify.h"
#include "compare/diverge.h"
#include "compare/judge.h"
#include "compare/match.h"
#include "compare/match_kernel.h"
#include "compare/merged_layout.h"
#include "compare/noise.h"
#include "compare/source.h"

typedef struct Comparer {
    Comparison *out;
    const Dump *golden, *target;
    OpMatch match;
    JudgeContext context;
    const uint8_t *sources;             // by golden slot
    uint32_t last_golden, last_target;  // the last ops that have a partner
    Arena *arena, *scratch;
} Comparer;

const char *status_word(Status status)
{
    static const char *const words[STATUS_COUNT] = {
        [STATUS_NO_DATA] = "no data", [STATUS_SAME] = "same",   [STATUS_PASS] = "pass",
        [STATUS_WARNING] = "warning", [STATUS_ERROR] = "error", [STATUS_UNMATCHED] = "unmatched"};
    return words[status];
}

const char *divergence_word(DivergenceKind kind)
{
    static const char *const words[] = {
        [DIVERGE_NONE] = "none",         [DIVERGE_OUTPUT] = "output",
        [DIVERGE_ARGUMENT] = "argument", [DIVERGE_PARAMETER] = "parameter",
        [DIVERGE_INPUT] = "input",       [DIVERGE_MISSING] = "missing"};
    return words[kind];
}

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

static bool lacks_outputs(const Dump *dump, uint32_t op)
{
    const Op *record = &dump->ops[op];
    for (uint32_t i = 0; i < record->slot_count; i++)
        if (is_output(&dump->slots[record->first_slot + i]))
            return false;
    return true;
}

static SlotPair *add_slot(Comparer *comparer, uint32_t golden, uint32_t target)
{
    Comparison *out = comparer->out;
    SlotPair *pair = &out->slots[out->slot_count++];
    *pair = (SlotPair){
        .golden = golden, .target = target, .error = (double)NAN, .norm_error = (double)NAN};
    return pair;
}

// A slot that only one side of a matched op has. Where the other side has no outputs at all the
// dump was cut in the middle of the call: missing, not different.
static void add_single(Comparer *comparer, const OpPair *op, uint32_t golden, uint32_t target)
{
    SlotPair *pair = add_slot(comparer, golden, target);
    const Slot *slot =
        golden != SLOT_NONE ? &comparer->golden->slots[golden] : &comparer->target->slots[target];
    bool other_cut = golden != SLOT_NONE ? lacks_outputs(comparer->target, op->target)
                                         : lacks_outputs(comparer->golden, op->golden);
    bool untold =
        slot->kind == SLOT_NULL || (is_output(slot) && other_cut) || comparer->out->kernels;
    pair->status = untold ? STATUS_NO_DATA : STATUS_UNMATCHED;
    pair->reason = untold ? REASON_UNCOMPARABLE : REASON_UNMATCHED;
}

static void judge_pair(Comparer *comparer, SlotPair *pair)
{
    judge_slots(&comparer->context, &comparer->golden->slots[pair->golden],
                &comparer->target->slots[pair->target], comparer->sources[pair->golden], pair);
}

static void pair_slots(Comparer *comparer, const OpPair *op, bool *golden_used)
{
    const Op *golden = &comparer->golden->ops[op->golden];
    const Op *target = &comparer->target->ops[op->target];
    for (uint32_t i = 0; i < golden->slot_count; i++)
        golden_used[i] = false;
    for (uint32_t i = 0; i < target->slot_count; i++) {
        uint32_t slot = target->first_slot + i;
        uint32_t partner = comparer->match.golden_slot_of[slot];
        if (partner == SLOT_NONE) {
            add_single(comparer, op, SLOT_NONE, slot);
            continue;
        }
        golden_used[partner - golden->first_slot] = true;
        judge_pair(comparer, add_slot(comparer, partner, slot));
    }
    for (uint32_t i = 0; i < golden->slot_count; i++)
        if (!golden_used[i])
            add_single(comparer, op, golden->first_slot + i, SLOT_NONE);
}

// A float32 tensor that was computed from bfloat16 ones carries their noise.
static void see_precision(Comparer *comparer, const Dump *dump, const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        Precision own = precision_of(names_text(dump->names, slot->dtype));
        if (epsilon_of(own) > epsilon_of(comparer->context.run))
            comparer->context.run = own;
    }
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
    bool computed_differs = false, source_differs = false;
    op->error_in = op->error_out = (double)NAN;
    op->status = op->input_status = op->output_status = STATUS_NO_DATA;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &out->slots[i];
        Status status = status_in_op(out, pair);
        bool output = is_output(slot_of(out, pair));
        uint8_t *side = output ? &op->output_status : &op->input_status;
        *side = (uint8_t)status_worst((Status)*side, status);
        take_error(output ? &op->error_out : &op->error_in, pair);
        if (!output && status_differs(status)) {
            source_differs = source_differs || pair->exact;
            computed_differs = computed_differs || !pair->exact;
        }
    }
    op->status = (uint8_t)status_worst((Status)op->input_status, (Status)op->output_status);
    op->inherited = computed_differs && !source_differs;
}

static void compare_op(Comparer *comparer, OpPair *op, bool *golden_used)
{
    const Op *golden = &comparer->golden->ops[op->golden];
    Str name = names_text(comparer->golden->names, golden->name);
    comparer->context.communication =
        str_starts(name, STR("Distributed.")) || str_starts(name, STR("MintDistributed."));
    comparer->context.op =
        names_text(comparer->target->names, comparer->target->ops[op->target].name);
    comparer->context.one_rank = merged_one_rank_op(comparer->out->golden, op->golden) ||
                                 merged_one_rank_op(comparer->out->target, op->target);
    see_precision(comparer, comparer->golden, golden);
    see_precision(comparer, comparer->target, &comparer->target->ops[op->target]);
    op->first_slot = comparer->out->slot_count;
    pair_slots(comparer, op, golden_used);
    op->slot_count = comparer->out->slot_count - op->first_slot;
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
    bool untold =
        was_cut_away(comparer, op) || is_of_layout(comparer, op) || comparer->out->kernels;
    op->status = untold ? STATUS_NO_DATA : STATUS_UNMATCHED;
    op->input_status = op->output_status = STATUS_NO_DATA;
    op->error_in = op->error_out = (double)NAN;
}

// Weights agree to the bit when two runs start from one checkpoint, and differ by noise after the
// first step. Which of the two it is, the dumps show: most weights are equal, or few are.
static bool weights_are_exact(Comparer *comparer)
{
    size_t seen = 0, equal = 0;
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
            equal += judge_same(&comparer->context, &comparer->golden->slots[partner], slot);
        }
    }
    return equal * 2 >= seen;
}

static uint64_t *count_elements(const Dump *dump, Arena *arena)
{
    size_t count = names_count(dump->names) + 1;
    uint64_t *elements = ARENA_ARRAY(arena, uint64_t, count);
    for (uint32_t i = 0; i < dump->slot_count; i++) {
        NameId shape = dump->slots[i].shape;
        if (dump->slots[i].kind == SLOT_TENSOR && elements[shape] == 0)
            elements[shape] = shape_elements(names_text(dump->names, shape));
    }
    return elements;
}

static void sum_up_pair(Comparison *out)
{
    Status worst = STATUS_NO_DATA;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *op = &out->ops[i];
        out->op_counts[op->status]++;
        worst = status_worst(worst, (Status)op->status);
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
        out->compared += told;
        if (told && isfinite(pair->norm_error) && pair->norm_error > out->largest_error) {
            out->largest_error = pair->norm_error;
            bool own = pair->metric == METRIC_NORM || pair->metric == METRIC_ELEMENTS;
            out->largest_floor = own ? (double)pair->floor : (double)NAN;
        }
    }
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

void compare_sum_up(Comparison *out, const uint8_t *sources, Arena *arena)
{
    diverge_find(out, sources);
    settle_inheritance(out);
    memset(out->op_counts, 0, sizeof out->op_counts);
    memset(out->slot_counts, 0, sizeof out->slot_counts);
    out->unmatched_golden = out->unmatched_target = out->compared = 0;
    out->largest_error = 0;
    out->largest_floor = (double)NAN;
    align_trees(out, arena);
    sum_up_pair(out);
}

// What each side tells by itself.
typedef struct Alone {
    const Dump *golden, *target;
    Arena *arenas[3];
    uint8_t *sources;
    float *amplification, *target_amplification;
} Alone;

static void look_alone(void *context, size_t part)
{
    Alone *alone = context;
    if (part == 0)
        alone->sources = source_find(alone->golden, alone->arenas[0]);
    else if (part == 1)
        alone->amplification = amplify_find(alone->golden, alone->arenas[1]);
    else
        alone->target_amplification = amplify_find(alone->target, alone->arenas[2]);
}

static void look_at_sides(Comparer *comparer, int jobs)
{
    Alone alone = {.golden = comparer->golden, .target = comparer->target};
    for (int part = 0; part < 3; part++)
        alone.arenas[part] = arena_child(comparer->scratch);
    threads_run(3, jobs, look_alone, &alone);
    comparer->sources = alone.sources;
    comparer->context.amplification = alone.amplification;
    comparer->context.target_amplification = alone.target_amplification;
}

void compare_graphs(const Graph *golden, const Graph *target, const CompareOptions *options,
                    Arena *arena, Comparison *out)
{
    const Dump *b = golden->dump, *n = target->dump;
    *out = (Comparison){.golden = golden,
                        .target = target,
                        .mode = options->mode,
                        .kernels = match_is_kernels(b) != match_is_kernels(n),
                        .rules = options->rules,
                        .step = options->step,
                        .rank = options->rank,
                        .floor_norm = floor_default(STAT_NORM, PRECISION_F32, PRECISION_F32)};
    Comparer comparer = {
        .out = out, .golden = b, .target = n, .arena = arena, .scratch = arena_new()};
    match_ops(&(MatchSides){b, n, golden, target}, options->match, arena, &comparer.match);
    out->matched = comparer.match.counts;
    comparer.context = (JudgeContext){.golden = b,
                                      .target = n,
                                      .mode = options->mode,
                                      .criteria = options->criteria,
                                      .elements = count_elements(b, comparer.scratch)};
    look_at_sides(&comparer, options->jobs);
    NoiseFloor noise;
    if (options->noise_run_count) {
        NoiseSlots slots = {comparer.sources, comparer.context.amplification,
                            comparer.context.elements};
        noise_measure(b, &slots, options->noise_runs, options->noise_run_count, comparer.scratch,
                      &noise);
        comparer.context.noise = &noise;
        out->noise_known = true;
    }
    comparer.context.weights_exact = weights_are_exact(&comparer);
    out->ops = ARENA_ARRAY(arena, OpPair, (size_t)b->op_count + n->op_count);
    out->slots = ARENA_ARRAY(arena, SlotPair, (size_t)b->slot_count + n->slot_count);
    bool *golden_used = ARENA_ARRAY(comparer.scratch, bool, (size_t)b->slot_count + 1);
    list_ops(&comparer);
    find_last_matched(&comparer);
    for (uint32_t i = 0; i < out->op_count; i++) {
        if (out->ops[i].golden == OP_NONE || out->ops[i].target == OP_NONE)
            mark_unmatched(&comparer, &out->ops[i]);
        else
            compare_op(&comparer, &out->ops[i], golden_used);
    }
    NodeMatch nodes;
    match_nodes(golden, target, &comparer.match, arena, &nodes);
    out->golden_of = nodes.golden_of;
    out->target_of = nodes.target_of;
    compare_sum_up(out, comparer.sources, arena);
    arena_release(comparer.scratch);
}
