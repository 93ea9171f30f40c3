// SPDX-License-Identifier: Apache-2.0
#include "compare/pair_facts.h"

#include <math.h>

#include "compare/evidence.h"
#include "compare/judge/observe.h"
#include "compare/op_profile.h"
#include "compare/precheck_ops.h"

static Str copy_name(const Dump *dump, NameId name, Arena *arena)
{
    return str_copy(arena, names_text(dump->names, name));
}

static Str op_name(const Graph *graph, uint32_t op, Arena *arena)
{
    if (op == OP_NONE)
        return (Str){"", 0};
    return copy_name(graph->dump, graph->dump->ops[op].name, arena);
}

static NodeId node_of_op(const Graph *graph, uint32_t op)
{
    return op == OP_NONE ? NODE_NONE : graph_find(graph, graph->dump->ops[op].name);
}

static Str enclosing_module(const Graph *graph, uint32_t op, Arena *arena)
{
    NodeId id = node_of_op(graph, op);
    while (id != NODE_NONE && id != 0 && graph->nodes[id].type != NODE_MODULE)
        id = graph->nodes[id].parent;
    if (id == NODE_NONE || id == 0)
        return (Str){"", 0};
    return copy_name(graph->dump, graph->nodes[id].name, arena);
}

// What the slot shows for the reason: the argument's value, the dtype or the shape.
// What of its statistics is no number; empty: all are numbers.
static Str nonfinite_value(const Dump *dump, const Slot *slot)
{
    double norm;
    Nonfinite found = nonfinite_of(dump, slot);
    if (!found && slot_stat(slot, STAT_NORM, &norm) && isinf(norm))
        return STR("Inf");
    return found & NONFINITE_NAN     ? STR("NaN")
           : found & NONFINITE_PLUS  ? STR("Inf")
           : found & NONFINITE_MINUS ? STR("-Inf")
                                     : STR("");
}

static Str shown_value(const Dump *dump, uint32_t slot, Reason reason, Arena *arena)
{
    char buffer[40];
    if (slot == SLOT_NONE)
        return (Str){"", 0};
    const Slot *record = &dump->slots[slot];
    if (reason == REASON_NONFINITE)
        return nonfinite_value(dump, record);
    if (reason == REASON_DTYPE)
        return copy_name(dump, record->dtype, arena);
    if (reason == REASON_SHAPE)
        return copy_name(dump, record->shape, arena);
    if (record->kind == SLOT_NULL)
        return STR("None");
    if (record->kind == SLOT_TENSOR)
        return copy_name(dump, record->type, arena);
    if (record->value != NAME_NONE && record->tag[STAT_MAX] != TAG_TEXT)
        return copy_name(dump, record->value, arena);
    return str_copy(arena, slot_stat_text(dump->names, record, STAT_MAX, buffer));
}

static void collect_frames(const Comparison *comparison, const OpPair *op, FirstDivergence *out,
                           Arena *arena)
{
    int side = shown_side(op);
    const StackFrames *stack =
        graph_op_stack(comparison_graph(comparison, side), op_on_side(op, side));
    if (!stack)
        return;
    out->frame_count = stack->count < FACTS_FRAMES ? stack->count : FACTS_FRAMES;
    out->frames = ARENA_ARRAY(arena, Str, out->frame_count);
    for (uint32_t i = 0; i < out->frame_count; i++)
        out->frames[i] = str_copy(arena, stack->frames[i]);
}

// The place of an element, counted in C order, in a shape as dumps write it: "[4, 16]".
static Str element_place(Str shape, uint64_t element, Arena *arena)
{
    enum { AXES_MAX = 64 };
    uint64_t sizes[AXES_MAX] = {0}, index[AXES_MAX];
    size_t axes = 0;
    Str rest = str_slice(shape, 1, shape.size ? shape.size - 1 : 0), part;
    while (rest.size && axes < AXES_MAX && str_split(&rest, ',', &part))
        if (!str_to_uint64(str_trim(part), &sizes[axes++]))
            return STR("");
    for (size_t i = axes; i-- > 0;) {
        index[i] = sizes[i] ? element % sizes[i] : 0;
        element = sizes[i] ? element / sizes[i] : 0;
    }
    StrBuf out = strbuf_new(arena);
    strbuf_add_char(&out, '[');
    for (size_t i = 0; i < axes; i++)
        strbuf_printf(&out, "%s%llu", i ? ", " : "", (unsigned long long)index[i]);
    strbuf_add_char(&out, ']');
    return strbuf_str(&out);
}

static void collect_element(const Comparison *comparison, Arena *arena, FirstDivergence *out)
{
    const Divergence *first = &comparison->first;
    const Dump *golden = comparison->golden->dump;
    out->differing = first->differing;
    out->count = first->count;
    if (!first->differing)
        return;
    const Slot *slot = &golden->slots[comparison->slots[first->slot].golden];
    out->element = element_place(names_text(golden->names, slot->shape), first->element, arena);
    out->golden_element = first->golden_element;
    out->target_element = first->target_element;
}

// For the order of ranks (compare/origin.h). Ranks merged into one have none.
static void collect_calls(const Dump *dump, int64_t rank, Arena *arena, PairFacts *out)
{
    Arena *scratch = arena_new();
    CommCalls calls = {0};
    for (uint32_t i = 0; i < dump->op_count && !dump->merged; i++)
        if (dump->ops[i].kind == OP_API && comm_is_call(names_text(dump->names, dump->ops[i].name)))
            comm_calls_add(dump, i, rank, scratch, &calls);
    out->calls = ARENA_ARRAY(arena, CommCall, calls.count);
    out->call_count = calls.count;
    for (size_t i = 0; i < calls.count; i++)
        out->calls[i] = (CommCall){.op = calls.items[i].op,
                                   .channel = str_copy(arena, calls.items[i].channel),
                                   .peer = calls.items[i].peer,
                                   .role = calls.items[i].role};
    arena_release(scratch);
}

// From 1. Of an op that the target does not have: the place of its next one.
static uint32_t target_position(const Comparison *comparison, uint32_t op)
{
    for (uint32_t i = op; i < comparison->op_count; i++)
        if (comparison->ops[i].target != OP_NONE)
            return comparison->ops[i].target + 1;
    return comparison->target->dump->op_count;
}

static void collect_givers(const Comparison *comparison, const SlotPair *pair, Arena *arena,
                           FirstDivergence *out)
{
    const Graph *golden = comparison->golden, *target = comparison->target;
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return;
    out->target_giver =
        op_name(target, flow_producer_op(comparison->flows[1], pair->target), arena);
    out->golden_giver =
        op_name(golden, flow_producer_op(comparison->flows[0], pair->golden), arena);
}

// The outermost module around an op of golden that has no partner in the target.
static Str module_left_out(const Comparison *comparison, uint32_t op, Arena *arena)
{
    const Graph *golden = comparison->golden;
    NodeId found = NODE_NONE;
    for (NodeId id = node_of_op(golden, op); id != NODE_NONE && id != 0;
         id = golden->nodes[id].parent)
        if (golden->nodes[id].type == NODE_MODULE && comparison->target_of[id] == NODE_NONE)
            found = id;
    return found == NODE_NONE ? (Str){"", 0}
                              : copy_name(golden->dump, golden->nodes[found].name, arena);
}

static void collect_evidence(const Comparison *comparison, const OpPair *op, Arena *arena,
                             FirstDivergence *out)
{
    InputEvidence evidence = input_evidence(comparison, op);
    out->no_inputs = !evidence.any;
    out->some_inputs =
        comparison->golden->dump->some_inputs || comparison->target->dump->some_inputs;
    if (evidence.unsure == SLOT_NONE)
        return;
    const SlotPair *slot = &comparison->slots[evidence.unsure];
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    out->unsure = slot->golden != SLOT_NONE
                      ? copy_name(golden, golden->slots[slot->golden].path, arena)
                      : copy_name(target, target->slots[slot->target].path, arena);
}

static void collect_observation(const Comparison *comparison, uint32_t world_size, Arena *arena,
                                FirstDivergence *out)
{
    Observation seen = observe_first(comparison, world_size, arena);
    if (seen.kind == OBSERVE_NONE)
        return;
    out->observations = ARENA_NEW(arena, Str);
    out->observations[0] = seen.text;
    out->look = seen.look;
    out->observation_count = 1;
}

static void collect_place(const Comparison *comparison, FirstDivergence *out)
{
    const Divergence *first = &comparison->first;
    out->position = first->op + 1;
    out->target_position = target_position(comparison, first->op);
    out->later = first->later;
}

// Values, or two structures: which ops each has, and their shapes.
static bool holds_evidence(const PairFacts *facts)
{
    const SideContent *content = facts->coverage.content;
    return facts->compared > 0 || (facts->matched_ops > 0 && content[0] == CONTENT_STRUCTURE &&
                                   content[1] == CONTENT_STRUCTURE);
}

static void collect_first(const Comparison *comparison, uint32_t world_size, Arena *arena,
                          const PairFacts *facts, FirstDivergence *out)
{
    const Divergence *first = &comparison->first;
    *out = (FirstDivergence){.value = (double)NAN,
                             .worst_input = (double)NAN,
                             .noise = (double)NAN,
                             .tolerance = (double)NAN,
                             .golden_element = (double)NAN,
                             .target_element = (double)NAN};
    if (first->kind == DIVERGE_NONE || !holds_evidence(facts))
        return;
    out->kind = first->kind;
    const OpPair *op = &comparison->ops[first->op];
    out->target = op_name(comparison->target, op->target, arena);
    out->golden = op_name(comparison->golden, op->golden, arena);
    if (first->beside != PAIR_NONE) {
        const OpPair *beside = &comparison->ops[first->beside];
        if (out->target.size == 0)
            out->target = op_name(comparison->target, beside->target, arena);
        else
            out->golden = op_name(comparison->golden, beside->golden, arena);
        out->replaced = comparison->ops[first->beside].status == STATUS_UNMATCHED;
    }
    out->missing_in_target = op->target == OP_NONE;
    int side = shown_side(op);
    out->module = enclosing_module(comparison_graph(comparison, side), op_on_side(op, side), arena);
    out->metric = first->metric;
    if (first->kind != DIVERGE_MISSING) {
        out->value = first->value;
        out->worst_input = first->worst_input;
    }
    out->noise = first->noise;
    collect_place(comparison, out);
    collect_frames(comparison, op, out, arena);
    collect_observation(comparison, world_size, arena, out);
    const PrecheckOp *alone = precheck_of_op(comparison, op);
    if (alone) {
        out->precheck = str_of(status_word(precheck_status(alone->status)));
        out->precheck_reason = str_copy(arena, alone->reason);
    }
    if (first->slot == SLOT_NONE) {
        if (op->target == OP_NONE)
            out->left_out = module_left_out(comparison, op->golden, arena);
        return;
    }
    const SlotPair *pair = &comparison->slots[first->slot];
    out->tolerance = (double)pair->floor;
    collect_evidence(comparison, op, arena, out);
    if (first->kind == DIVERGE_INPUT)
        collect_givers(comparison, pair, arena, out);
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    out->reason = (Reason)pair->reason;
    out->slot = pair->target != SLOT_NONE
                    ? copy_name(target, target->slots[pair->target].path, arena)
                    : copy_name(golden, golden->slots[pair->golden].path, arena);
    out->target_value = shown_value(target, pair->target, out->reason, arena);
    out->golden_value = shown_value(golden, pair->golden, out->reason, arena);
    collect_element(comparison, arena, out);
}

bool op_is_worse(const OpPair *a, const OpPair *b)
{
    if (a->status != b->status)
        return status_worst((Status)a->status, (Status)b->status) == (Status)a->status;
    double x = isnan(a->error_out) ? -2 : a->error_out, y = isnan(b->error_out) ? -2 : b->error_out;
    return x > y;
}

static WorstOp worst_of(const Comparison *comparison, const OpPair *pair, Arena *arena)
{
    const Op *op = shown_op(comparison, pair);
    return (WorstOp){.target = op_name(comparison->target, pair->target, arena),
                     .golden = op_name(comparison->golden, pair->golden, arena),
                     .status = (Status)pair->status,
                     .inherited = pair->inherited,
                     .direction = (Direction)op->direction,
                     .gradient = op->kind == OP_GRADS,
                     .error_in = pair->error_in,
                     .error_out = pair->error_out,
                     .word_in = op_error_word(comparison, pair, OP_INPUTS),
                     .word_out = op_error_word(comparison, pair, OP_OUTPUTS)};
}

// The ops with the largest output errors, in falling order; earlier ops first among equals.
static void collect_worst(const Comparison *comparison, Arena *arena, PairFacts *out)
{
    const OpPair *best[FACTS_WORST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (!status_differs((Status)op->status))
            continue;
        uint32_t place = count;
        while (place > 0 && op_is_worse(op, best[place - 1]))
            place--;
        if (place == FACTS_WORST)
            continue;
        count = count < FACTS_WORST ? count + 1 : count;
        for (uint32_t k = count - 1; k > place; k--)
            best[k] = best[k - 1];
        best[place] = op;
    }
    for (uint32_t i = 0; i < count; i++)
        out->worst[i] = worst_of(comparison, best[i], arena);
    out->worst_count = count;
}

// Those that fail in isolation, in execution order.
static void collect_precheck(const Comparison *comparison, Arena *arena, PairFacts *out)
{
    out->precheck =
        ARENA_ARRAY(arena, PrecheckFact, comparison->precheck ? comparison->op_count : 0);
    for (uint32_t i = 0; i < comparison->op_count && comparison->precheck; i++) {
        const OpPair *op = &comparison->ops[i];
        const PrecheckOp *alone = precheck_of_op(comparison, op);
        if (!alone)
            continue;
        out->prechecked++;
        if (precheck_fails(alone))
            out->precheck[out->precheck_count++] =
                (PrecheckFact){.op = str_copy(arena, alone->name),
                               .precheck = precheck_status(alone->status),
                               .reason = str_copy(arena, alone->reason),
                               .status = (Status)op->status,
                               .inherited = op->inherited};
    }
}

static ReadFact read_fact(const Dump *dump, Arena *arena)
{
    return (ReadFact){.file = str_copy(arena, dump->path),
                      .bytes = dump->bytes,
                      .ops = dump->op_count,
                      .partial_at = dump->partial_at};
}

// The dtypes of the tensors, without the name of the framework, the most frequent first.
static Str dtypes_of(const Dump *dump, Arena *arena)
{
    enum { DTYPES_TOLD = 4 };
    Arena *scratch = arena_new();
    uint32_t *counts = ARENA_ARRAY(scratch, uint32_t, names_count(dump->names) + 1);
    StrBuf out = strbuf_new(arena);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].kind == SLOT_TENSOR && dump->slots[i].dtype != NAME_NONE)
            counts[dump->slots[i].dtype]++;
    for (int told = 0; told < DTYPES_TOLD; told++) {
        NameId most = 0;
        for (NameId id = 1; id < names_count(dump->names); id++)
            most = counts[id] > counts[most] ? id : most;
        Str name = names_text(dump->names, most);
        if (counts[most] == 0)
            break;
        size_t dot = str_find_char(name, '.', 0);
        name = dot == SIZE_MAX ? name : str_slice(name, dot + 1, name.size);
        strbuf_printf(&out, "%s" STR_FMT, told ? ", " : "", STR_ARG(name));
        counts[most] = 0;
    }
    arena_release(scratch);
    return strbuf_str(&out);
}

// The statistics of which some slot is beyond its floor, as bits by Stat. A tolerance takes the
// place of a floor, and of the excuse that an error was carried on. False where none would mend it.
static bool statistics_beyond(const Comparison *comparison, unsigned *out)
{
    *out = 0;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        bool differs = status_differs((Status)pair->status);
        if (differs && pair->reason != REASON_STATISTIC && pair->reason != REASON_EXACT)
            return false;
        if (differs || reason_is_vouched(pair->reason))
            *out |= pair->beyond;
    }
    return comparison->rules == RULES_VERNIER && *out != 0 &&
           comparison->unmatched_golden + comparison->unmatched_target == 0;
}

// A tolerance holds for all slots: it is the largest difference of any.
static void tolerances_that_pass(const Comparison *comparison, double out[STAT_COUNT])
{
    unsigned beyond;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        out[stat] = (double)NAN;
    if (!statistics_beyond(comparison, &beyond))
        return;
    const double *worst = comparison->furthest;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (beyond >> stat & 1 && !isfinite(worst[stat]))
            return;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (beyond >> stat & 1)
            out[stat] = worst[stat];
}

PairFacts pair_facts_unread(int64_t step, Str stage, int64_t rank)
{
    PairFacts out = {.step = step, .stage = stage, .rank = rank};
    for (int stat = 0; stat < STAT_COUNT; stat++)
        out.would_pass_at[stat] = (double)NAN;
    return out;
}

bool pair_facts_compared(const PairFacts *facts)
{
    if (facts->golden_missing || facts->target_missing || facts->failed || !holds_evidence(facts))
        return false;
    return facts->first.kind != DIVERGE_NONE || !coverage_no_tensor(&facts->coverage);
}

Str pair_facts_op(const FirstDivergence *first)
{
    if (first->kind == DIVERGE_MISSING && first->missing_in_target && !first->replaced)
        return first->golden;
    return first->target.size ? first->target : first->golden;
}

bool pair_facts_same_step(const PairFacts *a, const PairFacts *b)
{
    return a->step == b->step && str_equal(a->stage, b->stage);
}

// In the order of the target, of ops that both sides recorded with values.
static void collect_equal(const Comparison *comparison, Arena *arena, PairFacts *out)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (!op_has_both(op) || op->status == STATUS_NO_DATA)
            continue;
        if (op->status == STATUS_SAME) {
            out->equal_before++;
            continue;
        }
        const Dump *dump = comparison->target->dump;
        out->first_unequal = str_copy(arena, names_text(dump->names, dump->ops[op->target].name));
        return;
    }
}

void facts_collect(const Comparison *comparison, uint32_t world_size, Arena *arena, PairFacts *out)
{
    const Dump *sides[2] = {comparison->golden->dump, comparison->target->dump};
    *out = (PairFacts){.step = comparison->step,
                       .stage = str_copy(arena, comparison->stage),
                       .rank = comparison->rank,
                       .status = comparison->status,
                       .mode = comparison->mode,
                       .ops_golden = sides[0]->op_count,
                       .ops_target = sides[1]->op_count,
                       .slots = comparison->slot_count,
                       .compared = comparison->compared,
                       .unmatched_golden = comparison->unmatched_golden,
                       .unmatched_target = comparison->unmatched_target,
                       .matched_ops = comparison->matched_ops,
                       .largest_error = comparison->largest_error,
                       .noise_known = comparison->noise_known,
                       .nearest = comparison->nearest};
    tolerances_that_pass(comparison, out->would_pass_at);
    for (int s = 0; s < STATUS_COUNT; s++) {
        out->slot_counts[s] = comparison->slot_counts[s];
        out->op_counts[s] = comparison->op_counts[s];
    }
    for (int side = 0; side < 2; side++) {
        out->reads[side] = read_fact(sides[side], arena);
        out->framework[side] = sides[side]->framework;
        out->level[side] = str_copy(arena, sides[side]->level);
        out->task[side] = str_copy(arena, sides[side]->task);
        out->versions[side] = str_copy(arena, sides[side]->versions);
        out->dtypes[side] = dtypes_of(sides[side], arena);
    }
    if (comparison->nearest > 0) {
        uint32_t slot = comparison->slots[comparison->nearest_slot].target;
        out->nearest_op =
            op_name(comparison->target, comparison->ops[comparison->nearest_op].target, arena);
        out->nearest_slot = copy_name(sides[1], sides[1]->slots[slot].path, arena);
    }
    collect_calls(sides[1], comparison->rank, arena, out);
    collect_equal(comparison, arena, out);
    out->profile = op_profile(comparison, arena);
    coverage_collect(comparison, arena, &out->coverage);
    // Equal values of other ops: the runs agree, and are not the same.
    if (out->coverage.replaced_count && out->status == STATUS_SAME)
        out->status = STATUS_PASS;
    collect_first(comparison, world_size, arena, out, &out->first);
    if (!pair_facts_compared(out))
        out->status = STATUS_NO_DATA;
    collect_worst(comparison, arena, out);
    collect_precheck(comparison, arena, out);
}
