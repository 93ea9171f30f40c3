// SPDX-License-Identifier: Apache-2.0
#include "compare/diverge.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/fold.h"
#include "read/dump/op_name.h"

static SlotGroup group_of(const Comparison *comparison, const SlotPair *pair)
{
    return (SlotGroup)shown_slot(comparison, pair)->group;
}

// What a differing slot says about why the runs diverge. The smaller number explains the op: an
// argument before a weight before an input before the computation itself.
static DivergenceKind kind_of_slot(const Comparison *comparison, const SlotPair *pair,
                                   const uint8_t *sources)
{
    SlotGroup group = group_of(comparison, pair);
    if (group_is_result(group))
        return DIVERGE_OUTPUT;
    SlotKind kind = (SlotKind)shown_slot(comparison, pair)->kind;
    int source = pair->golden != SLOT_NONE                   ? sources[pair->golden]
                 : kind == SLOT_SCALAR || kind == SLOT_OTHER ? SOURCE_ARGUMENT
                                                             : SOURCE_COMPUTED;
    if (pair->reason == REASON_ARGUMENT || source == SOURCE_ARGUMENT)
        return DIVERGE_ARGUMENT;
    if (group == GROUP_PARAMETERS || source == SOURCE_PARAMETER)
        return DIVERGE_PARAMETER;
    return DIVERGE_INPUT;
}

static int rank_of(DivergenceKind kind)
{
    static const int ranks[] = {
        [DIVERGE_NONE] = 9,  [DIVERGE_ARGUMENT] = 1, [DIVERGE_PARAMETER] = 2,
        [DIVERGE_INPUT] = 3, [DIVERGE_OUTPUT] = 4,   [DIVERGE_MISSING] = 0};
    return ranks[kind];
}

// The slot that explains the op: best kind first, then the worst status, then the file's order.
static void explain(const Comparison *comparison, const OpPair *op, const uint8_t *sources,
                    Divergence *out)
{
    int best_status = -1;
    out->kind = DIVERGE_NONE;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (!status_differs((Status)pair->status))
            continue;
        DivergenceKind kind = kind_of_slot(comparison, pair, sources);
        bool better = rank_of(kind) < rank_of(out->kind) ||
                      (kind == out->kind && (int)pair->status > best_status);
        if (!better)
            continue;
        out->kind = kind;
        out->slot = i;
        best_status = pair->status;
    }
}

// Items of debug.json have no inputs: NaN.
static double worst_input(const Comparison *comparison, const OpPair *op)
{
    double worst = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        SlotGroup group = group_of(comparison, pair);
        if (group == GROUP_DEBUG)
            return (double)NAN;
        if (!group_is_result(group) && isfinite(pair->norm_error))
            worst = fmax(worst, pair->norm_error);
    }
    return worst;
}

static uint32_t count_later(const Comparison *comparison, uint32_t from)
{
    uint32_t later = 0;
    for (uint32_t i = from + 1; i < comparison->op_count; i++)
        later += status_differs((Status)comparison->ops[i].status);
    return later;
}

static bool is_zero(const Slot *slot)
{
    double largest, smallest;
    return slot_stat(slot, STAT_MAX, &largest) && slot_stat(slot, STAT_MIN, &smallest) &&
           largest == 0 && smallest == 0;
}

// Whether arguments and types of inputs alone differ, and the results do not: p of a dropout in
// evaluation mode, int32 in place of int64. A result that is all zero proves nothing: there was
// nothing to scale.
static bool changes_nothing(const Comparison *comparison, const OpPair *op)
{
    if (op->output_status != STATUS_SAME || !rule_on(comparison->without, RULE_CHANGES_NOTHING))
        return false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (group_is_result(group_of(comparison, &comparison->slots[i])) &&
            is_zero(shown_slot(comparison, &comparison->slots[i])))
            return false;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        if (status_differs((Status)pair->status) && pair->reason != REASON_ARGUMENT &&
            pair->reason != REASON_DTYPE)
            return false;
    }
    return true;
}

// The first op that both sides have and that differs; PAIR_NONE if there is none. One whose results
// are the same hides no later one: it is named where it is the only one.
static uint32_t first_differing(const Comparison *comparison)
{
    uint32_t harmless = PAIR_NONE;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->status == STATUS_UNMATCHED || !status_differs((Status)op->status))
            continue;
        if (!changes_nothing(comparison, op))
            return i;
        harmless = harmless == PAIR_NONE ? i : harmless;
    }
    return harmless;
}

// On one side only, and missing on the other or, where values differ after all, replaced there.
static bool is_alone(const OpPair *op)
{
    return op->status == STATUS_UNMATCHED || op->rule == RULE_REWRITTEN;
}

// Of an unmatched backward call: the forward call that has no partner either, or itself.
static uint32_t forward_twin(const Comparison *comparison, uint32_t at)
{
    const Op *backward = shown_op(comparison, &comparison->ops[at]);
    int side = shown_side(&comparison->ops[at]);
    const Dump *dump = comparison_graph(comparison, side)->dump;
    if (backward->direction != DIR_BACKWARD)
        return at;
    Str stem = op_name_of(dump->names, backward->name).stem;
    for (uint32_t i = at; i-- > 0;) {
        const OpPair *op = &comparison->ops[i];
        if (!is_alone(op) || shown_side(op) != side)
            continue;
        const Op *other = shown_op(comparison, op);
        if (other->direction == DIR_FORWARD && other->call == backward->call &&
            other->kind == backward->kind &&
            str_equal(op_name_of(dump->names, other->name).stem, stem))
            return i;
    }
    return at;
}

// By which norms of the same numbers in another order may differ.
#define SUM_ROUNDS 1e-5

// One side of a comparison, for the way back from a value to the ops that made it.
typedef struct Way {
    const Comparison *comparison;
    const Flow *flow;
    int side;
    uint32_t *pair_of;  // by op of the side
} Way;

static Way way_of(const Comparison *comparison, int side, Arena *scratch)
{
    return (Way){.comparison = comparison,
                 .flow = comparison->flows[side],
                 .side = side,
                 .pair_of = pairs_by_op(comparison, side, scratch)};
}

// The pair of the op that a slot of the side is in.
static uint32_t pair_with(const Way *way, uint32_t slot)
{
    const Dump *dump = way->flow->dump;
    return way->pair_of[dump_op_with(dump, slot) - dump->ops];
}

static bool is_lacked(const Way *way, uint32_t pair)
{
    return pair != PAIR_NONE && is_alone(&way->comparison->ops[pair]);
}

// The first of the ops without a partner that, one by the other, made what this one gives. The
// gradient of an addition gives what it took and is no difference, its forward call is one.
static uint32_t first_of_lacked(const Way *way, uint32_t pair)
{
    const Op *op = shown_op(way->comparison, &way->comparison->ops[pair]);
    uint32_t first = pair;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        uint32_t producer = way->flow->producer[k];
        if (producer == SLOT_NONE || slot_is_result(&way->flow->dump->slots[k]))
            continue;
        uint32_t before = pair_with(way, producer);
        if (before >= pair || op_has_both(&way->comparison->ops[before]))
            continue;
        before = first_of_lacked(way, before);
        if (before < first &&
            (is_lacked(way, before) || forward_twin(way->comparison, before) != before))
            first = before;
    }
    return first;
}

// Whether a recorded op takes the value of that result.
static bool is_taken(const Way *way, uint32_t result, uint32_t before)
{
    for (uint32_t k = result + 1; k < before; k++)
        if (flow_same(way->flow, k, result) && !slot_is_result(&way->flow->dump->slots[k]))
            return true;
    return false;
}

// Whether `slot` may hold numbers of `whole`, all of them or a part, as views give them: none is
// larger than the largest or smaller than the smallest, nor is the norm unless they are repeated.
static bool may_be_of(const Dump *dump, const Slot *slot, const Slot *whole)
{
    double most, least, largest, smallest, norm, all;
    bool repeats = shape_elements(names_text(dump->names, slot->shape)) >
                   shape_elements(names_text(dump->names, whole->shape));
    if (!repeats && slot_stat(slot, STAT_NORM, &norm) && slot_stat(whole, STAT_NORM, &all) &&
        norm > all * (1 + SUM_ROUNDS))
        return false;
    return slot_stat(slot, STAT_MAX, &most) && slot_stat(slot, STAT_MIN, &least) &&
           slot_stat(whole, STAT_MAX, &largest) && slot_stat(whole, STAT_MIN, &smallest) &&
           most <= largest && least >= smallest && largest > smallest;
}

// The op without a partner that gave the value, at once or through views that nobody recorded: then
// the last before `from` that gives what may hold it and what no recorded op takes.
static uint32_t lacked_source(const Way *way, uint32_t from, uint32_t value, bool views)
{
    const Flow *flow = way->flow;
    const Dump *dump = flow->dump;
    for (uint32_t at = flow->producer[value]; at != SLOT_NONE; at = flow->producer[at])
        if (pair_with(way, at) < from && is_lacked(way, pair_with(way, at)))
            return pair_with(way, at);
    if (!views || flow->producer[value] != SLOT_NONE || dump->slots[value].kind != SLOT_TENSOR)
        return PAIR_NONE;
    for (uint32_t i = from; i-- > 0;) {
        const OpPair *op = &way->comparison->ops[i];
        if (op->status != STATUS_UNMATCHED || (op->target == OP_NONE) != (way->side == 0))
            continue;
        const Op *record = shown_op(way->comparison, op);
        for (uint32_t k = record->first_slot; k < record->first_slot + record->slot_count; k++)
            if (slot_is_output_tensor(&dump->slots[k]) &&
                may_be_of(dump, &dump->slots[value], &dump->slots[k]) && !is_taken(way, k, value))
                return i;
    }
    return PAIR_NONE;
}

// The call of an op in the other direction; NULL: not recorded.
static const Op *other_direction(const Way *way, const Op *op, Arena *scratch)
{
    const Graph *graph = comparison_graph(way->comparison, way->side);
    const Names *names = way->flow->dump->names;
    bool forward = op->direction == DIR_FORWARD;
    Str name = str_replace(scratch, names_text(names, op->name),
                           forward ? STR(".forward") : STR(".backward"),
                           forward ? STR(".backward") : STR(".forward"));
    NameId id = names_find(names, name);
    NodeId node = id == NAME_NONE ? NODE_NONE : graph_find(graph, id);
    uint32_t at = node == NODE_NONE ? OP_NONE : graph->nodes[node].op;
    return at == OP_NONE ? NULL : &way->flow->dump->ops[at];
}

// The gradient of a value that several ops took is the sum of what each of them gives back, which
// no op records: the backward call without a partner of one that took it.
static uint32_t lacked_summand(const Way *way, uint32_t from, uint32_t value, Arena *scratch)
{
    const Dump *dump = way->flow->dump;
    const Op *op = dump_op_with(dump, value);
    const Op *made = op->direction == DIR_BACKWARD ? other_direction(way, op, scratch) : NULL;
    if (!made || slot_is_result(&dump->slots[value]) || way->flow->producer[value] != SLOT_NONE)
        return PAIR_NONE;
    for (uint32_t i = made->first_slot; i < made->first_slot + made->slot_count; i++) {
        if (!slot_is_output_tensor(&dump->slots[i]) || way->flow->same[i] == SLOT_NONE)
            continue;
        for (uint32_t k = made->first_slot + made->slot_count; k < dump->slot_count; k++) {
            if (slot_is_result(&dump->slots[k]) || !flow_same(way->flow, i, k))
                continue;
            const Op *taker = dump_op_with(dump, k);
            const Op *back =
                taker->direction == DIR_FORWARD ? other_direction(way, taker, scratch) : NULL;
            uint32_t pair = back ? way->pair_of[back - dump->ops] : PAIR_NONE;
            if (is_lacked(way, pair) && pair < from)
                return pair;
        }
    }
    return PAIR_NONE;
}

// The first of the ops on one side alone that made the slot's value there, however far before;
// PAIR_NONE: there is none.
static uint32_t missing_source(const Comparison *comparison, uint32_t from, const SlotPair *slot,
                               bool views)
{
    Arena *scratch = arena_new();
    uint32_t found = PAIR_NONE;
    for (int side = 0; side < 2 && rule_on(comparison->without, RULE_MISSING_SOURCE); side++) {
        uint32_t value = side == 0 ? slot->golden : slot->target;
        if (value == SLOT_NONE)
            continue;
        Way way = way_of(comparison, side, scratch);
        uint32_t source = lacked_source(&way, from, value, views);
        if (source == PAIR_NONE)
            source = lacked_summand(&way, from, value, scratch);
        if (source != PAIR_NONE)
            source = first_of_lacked(&way, forward_twin(comparison, source));
        found = source != PAIR_NONE && (found == PAIR_NONE || source > found) ? source : found;
    }
    arena_release(scratch);
    // What the other side runs in its place stands before it.
    bool golden = found != PAIR_NONE && comparison->ops[found].target == OP_NONE;
    while (found != PAIR_NONE && found > 0 && is_alone(&comparison->ops[found - 1]) &&
           (comparison->ops[found - 1].target == OP_NONE) != golden)
        found--;
    return found;
}

static bool is_module(const Comparison *comparison, uint32_t at)
{
    const OpPair *op = &comparison->ops[at];
    return op_has_both(op) && comparison->golden->dump->ops[op->golden].kind == OP_MODULE;
}

// The missing op that explains why the slot `first` names differs, or PAIR_NONE. Only a differing
// input that nothing before it explains can come from an op that is missing, the result of a module
// that an op within it gave, or a gradient, which has no inputs of its own; one side may take an
// input for a weight because the op that changed the weight is missing there.
static uint32_t missing_cause(const Comparison *comparison, const Divergence *first)
{
    const SlotPair *slot = &comparison->slots[first->slot];
    SlotGroup group = group_of(comparison, slot);
    bool input = first->kind == DIVERGE_INPUT;
    bool taken = first->kind == DIVERGE_PARAMETER && group != GROUP_PARAMETERS;
    bool passed = first->kind == DIVERGE_OUTPUT && is_module(comparison, first->op);
    if (!input && !taken && !passed && group != GROUP_GRADS)
        return PAIR_NONE;
    return missing_source(comparison, first->op, slot, input || taken);
}

static uint32_t first_unmatched(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].status == STATUS_UNMATCHED)
            return i;
    return PAIR_NONE;
}

// An op that one side does not have: the op that the other side runs at the same place is next to
// it, or else, where golden's op is the one that is gone, the op of the target at which it is first
// felt.
static void fill_missing(const Comparison *comparison, uint32_t at, uint32_t felt, Divergence *out)
{
    out->kind = DIVERGE_MISSING;
    out->op = at;
    fold_alone(&comparison->ops[at], true);
    bool golden_only = comparison->ops[at].target == OP_NONE;
    for (uint32_t i = at + 1; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (!is_alone(op))
            break;
        if ((op->target == OP_NONE) != golden_only) {
            fold_alone(&comparison->ops[i], true);
            out->beside = i;
            return;
        }
    }
    if (golden_only)
        out->beside = felt;
}

void diverge_find(Comparison *comparison)
{
    const uint8_t *sources = comparison->flows[0]->source;
    Divergence *first = &comparison->first;
    *first =
        (Divergence){.op = PAIR_NONE, .beside = PAIR_NONE, .slot = SLOT_NONE, .noise = (double)NAN};
    uint32_t differing = first_differing(comparison);
    if (differing != PAIR_NONE) {
        first->op = differing;
        explain(comparison, &comparison->ops[differing], sources, first);
    }
    uint32_t missing =
        differing == PAIR_NONE ? first_unmatched(comparison) : missing_cause(comparison, first);
    if (missing != PAIR_NONE) {
        first->slot = SLOT_NONE;
        fill_missing(comparison, forward_twin(comparison, missing), differing, first);
    }
    if (first->kind == DIVERGE_NONE)
        return;
    const OpPair *op = &comparison->ops[first->op];
    first->later = count_later(comparison, first->op);
    if (first->slot == SLOT_NONE)
        return;
    const SlotPair *pair = &comparison->slots[first->slot];
    first->metric = (Metric)pair->metric;
    first->value = pair->error;
    if (comparison->noise_known)
        first->noise = (double)pair->floor;
    first->worst_input = worst_input(comparison, op);
}
