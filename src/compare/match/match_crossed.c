// SPDX-License-Identifier: Apache-2.0
// Calls that two runs make in another order, and operands that a call takes so.
#include "compare/match/match_crossed.h"

#include <math.h>

#include "base/array.h"
#include "compare/flow.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// Calls that are made in another order stand close to each other.
enum { OPS_APART = 16 };
// Tensors that are less apart are no others.
#define OTHER 1e-3
// Crosswise two tensors must be so many times closer: they differ by noise, or not at all.
#define CLOSER 64.0

typedef struct Ops {
    uint32_t *items;  // of golden, that have another second tensor than their partners
    size_t count, capacity;
} Ops;

// Who takes what an op gives; what is not known is OP_NONE.
typedef struct Calls {
    uint32_t *op_of;   // by slot
    uint32_t *giver;   // by slot that a call takes: the latest op before that gave its values
    uint32_t *first;   // by op: a slot that takes its output
    uint32_t *next;    // by slot: another one with the same producer
    uint32_t *called;  // by name: its op
} Calls;

typedef struct Crossing {
    const Dump *dumps[2];    // golden, target
    const Graph *graphs[2];  // NULL: not both dumps tell modules
    OpMatch *match;
    Calls flows[2];  // only if there are calls that may change partners
    Ops ops;
    Arena *scratch;
} Crossing;

// The second tensor that a forward call takes, mostly its weight; NULL without one.
static const Slot *second_tensor(const Dump *dump, const Op *op)
{
    uint32_t seen = 0;
    if (op->kind != OP_API || op->direction != DIR_FORWARD)
        return NULL;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->group != GROUP_INPUT)
            return NULL;
        if (slot->kind == SLOT_TENSOR && seen++ == 1)
            return slot;
    }
    return NULL;
}

// How far two tensors, or NULL, are apart: the sum of the relative differences of their largest and
// smallest element and norm. 0 where they are no evidence.
static double slots_apart(const Slot *a, const Slot *b)
{
    static const Stat stats[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    double sum = 0, x, y;
    for (size_t i = 0; a && b && i < sizeof stats / sizeof *stats; i++)
        if (slot_stat(a, stats[i], &x) && slot_stat(b, stats[i], &y) && isfinite(x) &&
            isfinite(y) && x != y)
            sum += fabs(x - y) / fmax(fabs(x), fabs(y));
    return sum;
}

// Whether two forward calls of APIs have other arguments that are no tensors.
static bool other_arguments(const Dump *const dumps[2], const Op *a, const Op *b)
{
    if (a->kind != OP_API || a->direction != DIR_FORWARD || a->slot_count != b->slot_count)
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *x = &dumps[0]->slots[a->first_slot + i];
        const Slot *y = &dumps[1]->slots[b->first_slot + i];
        if (x->kind == y->kind && x->kind != SLOT_TENSOR &&
            !str_equal(names_text(dumps[0]->names, x->value),
                       names_text(dumps[1]->names, y->value)))
            return true;
    }
    return false;
}

// By what a call is distinguished from others of its API: its arguments, and its weight where
// modules do not tell which that is.
static double calls_apart(const Crossing *crossing, uint32_t golden, uint32_t target)
{
    const Dump *const *dumps = crossing->dumps;
    if (other_arguments(dumps, &dumps[0]->ops[golden], &dumps[1]->ops[target]))
        return HUGE_VAL;
    if (crossing->graphs[0])
        return 0;
    return slots_apart(second_tensor(dumps[0], &dumps[0]->ops[golden]),
                       second_tensor(dumps[1], &dumps[1]->ops[target]));
}

// Whether the slot of `golden` is rather that of `other` than that of `own`, or both are one.
static bool fits_better(const Slot *golden, const Slot *other, const Slot *own)
{
    double to_other = slots_apart(golden, other), to_own = slots_apart(golden, own);
    return to_other <= OTHER || to_other * 2 < to_own || to_other == to_own;
}

// Whether a call of golden may be the call `other` instead of its partner: all that it takes and
// gives tells so.
static bool same_call(const Crossing *crossing, uint32_t golden, uint32_t other)
{
    const Dump *const *dumps = crossing->dumps;
    const Op *a = &dumps[0]->ops[golden], *b = &dumps[1]->ops[other];
    const Op *own = &dumps[1]->ops[crossing->match->target_of[golden]];
    const Names *names[2] = {dumps[0]->names, dumps[1]->names};
    if (a->slot_count != b->slot_count || a->slot_count != own->slot_count ||
        !str_equal(op_name_of(names[0], a->name).stem, op_name_of(names[1], b->name).stem))
        return false;
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *x = &dumps[0]->slots[a->first_slot + i];
        const Slot *y = &dumps[1]->slots[b->first_slot + i];
        if (x->kind != y->kind || x->group != y->group ||
            !str_equal(names_text(names[0], x->shape), names_text(names[1], y->shape)) ||
            !str_equal(names_text(names[0], x->value), names_text(names[1], y->value)) ||
            !fits_better(x, y, &dumps[1]->slots[own->first_slot + i]))
            return false;
    }
    return true;
}

static void collect(Crossing *crossing)
{
    for (uint32_t i = 0; i < crossing->dumps[0]->op_count; i++) {
        uint32_t other = crossing->match->target_of[i];
        if (other != OP_NONE && calls_apart(crossing, i, other) > OTHER)
            *ARRAY_PUSH(crossing->scratch, &crossing->ops) = i;
    }
}

static void find_flow(const Dump *dump, Arena *scratch, Calls *flow)
{
    const uint32_t *producer = flow_find(dump, scratch)->producer;
    *flow =
        (Calls){array_of_none(scratch, dump->slot_count), array_of_none(scratch, dump->slot_count),
                array_of_none(scratch, dump->op_count), array_of_none(scratch, dump->slot_count),
                array_of_none(scratch, names_count(dump->names) + 1)};
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        uint32_t end = op->first_slot + op->slot_count;
        flow->called[op->name] = i;
        for (uint32_t k = op->first_slot; k < end; k++) {
            const Slot *slot = &dump->slots[k];
            flow->op_of[k] = i;
            if (op->kind != OP_API || slot->kind != SLOT_TENSOR || slot->group > GROUP_KWARGS)
                continue;
            uint32_t at = producer[k];
            while (at != SLOT_NONE && dump->ops[flow->op_of[at]].kind != OP_API)
                at = producer[at];
            if (at == SLOT_NONE)
                continue;
            uint32_t giver = flow->giver[k] = flow->op_of[at];
            flow->next[k] = flow->first[giver];
            flow->first[giver] = k;
        }
    }
}

// Of the calls that take what `op` gives: how many take that of `partner` in the other run, and
// false if one takes another's.
static bool taken_from(const Crossing *crossing, int side, uint32_t op, uint32_t partner,
                       uint32_t *count)
{
    const Calls *here = &crossing->flows[side], *there = &crossing->flows[1 - side];
    const uint32_t *other_of = side == 0 ? crossing->match->target_of : crossing->match->golden_of;
    for (uint32_t k = here->first[op]; k != OP_NONE; k = here->next[k]) {
        const Op *taker = &crossing->dumps[side]->ops[here->op_of[k]];
        uint32_t other = other_of[here->op_of[k]];
        if (other == OP_NONE ||
            crossing->dumps[1 - side]->ops[other].slot_count != taker->slot_count)
            continue;
        uint32_t slot = crossing->dumps[1 - side]->ops[other].first_slot + (k - taker->first_slot);
        if (there->giver[slot] != partner)
            return false;
        ++*count;
    }
    return true;
}

static bool in_one_module(const Crossing *crossing, int side, uint32_t a, uint32_t b)
{
    const Graph *graph = crossing->graphs[side];
    if (!graph)
        return true;
    NodeId x = graph_find(graph, graph->dump->ops[a].name);
    NodeId y = graph_find(graph, graph->dump->ops[b].name);
    return x != NODE_NONE && y != NODE_NONE && graph->nodes[x].parent == graph->nodes[y].parent;
}

// Whether each of two calls of golden fits the other's partner, and not its own, and what they give
// goes where it went: else it is their weights that changed places.
static bool is_crossed(const Crossing *crossing, uint32_t a, uint32_t b)
{
    uint32_t of_a = crossing->match->target_of[a], of_b = crossing->match->target_of[b];
    uint32_t takers = 0;
    double own = fmin(calls_apart(crossing, a, of_a), calls_apart(crossing, b, of_b));
    double other = fmax(calls_apart(crossing, a, of_b), calls_apart(crossing, b, of_a));
    if ((of_a < of_b ? of_b - of_a : of_a - of_b) > OPS_APART || other * CLOSER >= own ||
        !same_call(crossing, a, of_b) || !same_call(crossing, b, of_a) ||
        !in_one_module(crossing, 0, a, b) || !in_one_module(crossing, 1, of_a, of_b))
        return false;
    return taken_from(crossing, 0, a, of_b, &takers) && taken_from(crossing, 0, b, of_a, &takers) &&
           taken_from(crossing, 1, of_a, b, &takers) && taken_from(crossing, 1, of_b, a, &takers) &&
           takers > 0;
}

static uint32_t *count_of(Crossing *crossing, uint32_t golden, uint32_t target)
{
    const Dump *const *dumps = crossing->dumps;
    bool named = str_equal(names_text(dumps[0]->names, dumps[0]->ops[golden].name),
                           names_text(dumps[1]->names, dumps[1]->ops[target].name));
    MatchCounts *counts = &crossing->match->counts;
    return named ? &counts->by_name : &counts->renumbered;
}

// Two pairs of calls change partners.
static void exchange(Crossing *crossing, const uint32_t golden[2], const uint32_t target[2])
{
    for (int i = 0; i < 2; i++) {
        --*count_of(crossing, golden[i], target[i]);
        ++*count_of(crossing, golden[i], target[1 - i]);
        crossing->match->target_of[golden[i]] = target[1 - i];
        crossing->match->golden_of[target[1 - i]] = golden[i];
    }
}

static uint32_t backward_of(Crossing *crossing, int side, uint32_t forward)
{
    const Dump *dump = crossing->dumps[side];
    Str name = names_text(dump->names, dump->ops[forward].name);
    Str stem = str_slice(name, 0, name.size - STR("forward").size);
    NameId found =
        names_find(dump->names, str_printf(crossing->scratch, STR_FMT "backward", STR_ARG(stem)));
    return found == NAME_NONE ? OP_NONE : crossing->flows[side].called[found];
}

// So do their backward calls, where all four are there.
static void cross(Crossing *crossing, uint32_t a, uint32_t b)
{
    const uint32_t *target_of = crossing->match->target_of;
    uint32_t golden[2] = {a, b}, target[2] = {target_of[a], target_of[b]}, back[2][2];
    bool whole = true;
    for (int i = 0; i < 2; i++) {
        back[0][i] = backward_of(crossing, 0, golden[i]);
        back[1][i] = backward_of(crossing, 1, target[i]);
        whole = whole && back[0][i] != OP_NONE && back[1][i] != OP_NONE &&
                target_of[back[0][i]] == back[1][i];
    }
    exchange(crossing, golden, target);
    if (whole)
        exchange(crossing, back[0], back[1]);
}

void match_crossed(const MatchSides *sides, bool modules, OpMatch *match)
{
    Arena *scratch = arena_new();
    Crossing crossing = {
        .dumps = {sides->golden, sides->target}, .match = match, .scratch = scratch};
    if (modules) {
        crossing.graphs[0] = sides->golden_graph;
        crossing.graphs[1] = sides->target_graph;
    }
    collect(&crossing);
    for (int side = 0; side < 2 && crossing.ops.count > 1; side++)
        find_flow(crossing.dumps[side], scratch, &crossing.flows[side]);
    // From the last: where these give to calls that change partners too, those have done so.
    const uint32_t *ops = crossing.ops.items;
    for (size_t i = crossing.ops.count; i-- > 0;)
        for (size_t k = i; k-- > 0 && ops[i] - ops[k] <= OPS_APART;)
            if (is_crossed(&crossing, ops[k], ops[i])) {
                cross(&crossing, ops[k], ops[i]);
                break;
            }
    arena_release(scratch);
}

// ---- operands

typedef struct Operands {
    const Dump *dumps[2];  // golden, target
    OpMatch *match;
    bool *exchanged;  // by target NameId: of this forward call
    bool any;         // of all calls before
    Arena *scratch;
} Operands;

// Of calls in place the operand that is overwritten is no matter of order.
static bool commutes(const Dump *dump, const Op *op)
{
    return op_traits(str_behind(op_name_of(dump->names, op->name).stem, '.')) & OP_COMMUTES;
}

// The two tensors that a forward call takes, or false: more or fewer, or an argument next to them
// that is not 1 (alpha).
static bool two_inputs(const Dump *dump, const Op *op, uint32_t slots[2])
{
    uint32_t seen = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot_place_group(slot) != GROUP_INPUT || slot->kind == SLOT_NULL)
            continue;
        bool tensor = slot->kind == SLOT_TENSOR;
        if (tensor ? seen == 2 : !str_equal(names_text(dump->names, slot->value), STR("1")))
            return false;
        if (tensor)
            slots[seen++] = i;
    }
    return seen == 2;
}

// The two gradients, or none, that a backward call gives.
static bool two_gradients(const Dump *dump, const Op *op, uint32_t slots[2])
{
    uint32_t seen = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (dump->slots[i].group == GROUP_OUTPUT && seen++ < 2)
            slots[seen - 1] = i;
    return seen == 2;
}

// As slots_apart; tensors of other shapes are as far apart as can be, and so are those of other
// checksums where there is nothing else.
static double operands_apart(const Operands *of, uint32_t golden, uint32_t target)
{
    const Slot *a = &of->dumps[0]->slots[golden], *b = &of->dumps[1]->slots[target];
    const Names *names[2] = {of->dumps[0]->names, of->dumps[1]->names};
    if (!str_equal(names_text(names[0], a->shape), names_text(names[1], b->shape)))
        return HUGE_VAL;
    double ignored;
    bool told = slot_stat(a, STAT_NORM, &ignored) && slot_stat(b, STAT_NORM, &ignored);
    if (!told && a->checksum != NAME_NONE && b->checksum != NAME_NONE)
        return str_equal(names_text(names[0], a->checksum), names_text(names[1], b->checksum))
                   ? 0
                   : HUGE_VAL;
    return slots_apart(a, b);
}

static bool in_order(const Operands *of, const uint32_t golden[2], const uint32_t target[2])
{
    const uint32_t *golden_of = of->match->golden_slot_of;
    return golden_of[target[0]] == golden[0] && golden_of[target[1]] == golden[1];
}

// Whether both inputs are each the other one of golden's, and not its own.
static bool are_exchanged(const Operands *of, const uint32_t golden[2], const uint32_t target[2])
{
    double own = operands_apart(of, golden[0], target[0]);
    if (own > OTHER)
        own = fmin(own, operands_apart(of, golden[1], target[1]));
    if (own <= OTHER)
        return false;
    double other =
        fmax(operands_apart(of, golden[0], target[1]), operands_apart(of, golden[1], target[0]));
    return other * CLOSER < own;
}

static bool forward_was_exchanged(const Operands *of, const Op *backward)
{
    const Names *names = of->dumps[1]->names;
    Str forward = str_replace(of->scratch, names_text(names, backward->name), STR(".backward"),
                              STR(".forward"));
    NameId found = names_find(names, forward);
    return found != NAME_NONE && of->exchanged[found];
}

// Which slots of two paired calls change partners.
static bool find_exchanged(const Operands *of, const Op *golden, const Op *target, uint32_t a[2],
                           uint32_t b[2])
{
    if (golden->kind != OP_API || target->kind != OP_API)
        return false;
    if (target->direction == DIR_BACKWARD)
        return of->any && forward_was_exchanged(of, target) &&
               two_gradients(of->dumps[0], golden, a) && two_gradients(of->dumps[1], target, b) &&
               in_order(of, a, b);
    return two_inputs(of->dumps[0], golden, a) && two_inputs(of->dumps[1], target, b) &&
           in_order(of, a, b) && are_exchanged(of, a, b);
}

void match_crossed_operands(const Dump *golden, const Dump *target, OpMatch *match)
{
    Operands of = {.dumps = {golden, target}, .match = match, .scratch = arena_new()};
    of.exchanged = ARENA_ARRAY(of.scratch, bool, names_count(target->names) + 1);
    for (uint32_t i = 0; i < target->op_count; i++) {
        const Op *op = &target->ops[i];
        uint32_t partner = match->golden_of[i], a[2], b[2];
        if (partner == OP_NONE || !find_exchanged(&of, &golden->ops[partner], op, a, b) ||
            !commutes(target, op) || !commutes(golden, &golden->ops[partner]))
            continue;
        match->golden_slot_of[b[0]] = a[1];
        match->golden_slot_of[b[1]] = a[0];
        of.exchanged[op->name] = of.any = true;
    }
    arena_release(of.scratch);
}
