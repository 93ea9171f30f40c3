// SPDX-License-Identifier: Apache-2.0
#include "compare/born.h"

#include <math.h>

#include "compare/evidence.h"
#include "compare/judge/carried.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "compare/judge/slot_source.h"
#include "read/dump/op_name.h"

// Shares of a difference, chosen. They decide which place is named, and no status: where less has
// to be given, an op that makes most of it is passed over; where more, the search ends at an op
// that only rounds what it was given.
//
// What an op was given explains at least this share of what it is off by: it made nothing.
#define GIVEN_MOST 0.8
// An op makes a difference that it was given no more than this share of.
#define BORN_MOST 0.5
// On the way it stays at least so large, as parts of it are summed up with others.
#define KEPT_LEAST 0.7
// A cast that nobody recorded rounds by at most so much of a step.
#define CAST_ROUNDS 0.501

enum { HOPS_MOST = 256 };

typedef struct Hop {
    uint32_t op, slot;  // index in Comparison.ops, in Comparison.slots
} Hop;

// From the first divergence back, to the result where it was born.
typedef struct Trace {
    Comparison *comparison;
    const uint8_t *sources;
    Hop hops[HOPS_MOST];
    uint32_t count;
} Trace;

static const Slot *golden_slot(const Comparison *comparison, uint32_t slot)
{
    return &comparison->golden->dump->slots[comparison->slots[slot].golden];
}

static const Op *golden_op(const Comparison *comparison, uint32_t op)
{
    return &comparison->golden->dump->ops[comparison->ops[op].golden];
}

static bool is_result(const Comparison *comparison, uint32_t slot)
{
    return group_is_result((SlotGroup)golden_slot(comparison, slot)->group);
}

// Compared by its norm, which the difference is followed by.
static bool has_norms(const SlotPair *pair)
{
    return pair->golden != SLOT_NONE && pair->target != SLOT_NONE && isfinite(pair->norm_error);
}

// Of what went into an op that which is off the most; SLOT_NONE: nothing is. `error`: how far off
// all of it puts a result, as errors that know nothing of each other add up.
static uint32_t worst_given(const Comparison *comparison, uint32_t op, uint32_t result,
                            double *error)
{
    const OpPair *pair = &comparison->ops[op];
    uint32_t worst = SLOT_NONE;
    double largest = 0, squares = 0;
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        const SlotPair *slot = &comparison->slots[i];
        if (!has_norms(slot) || slot->reason == REASON_OVERWRITTEN || is_result(comparison, i))
            continue;
        double given =
            slot->norm_error * carried_share(comparison, pair, golden_slot(comparison, i),
                                             golden_slot(comparison, result));
        squares += given * given;
        if (given > largest) {
            largest = given;
            worst = i;
        }
    }
    *error = sqrt(squares);
    return worst;
}

// Whether two slots of a dump hold one tensor in two types, as a cast that nobody recorded gives.
static bool is_cast(const Dump *dump, const Slot *a, const Slot *b)
{
    Precision types[2] = {precision_of_slot(dump->names, a), precision_of_slot(dump->names, b)};
    if (types[0] == types[1] || types[0] == PRECISION_EXACT || types[1] == PRECISION_EXACT ||
        a->shape != b->shape)
        return false;
    double step = fmax(epsilon_of(types[0]), epsilon_of(types[1]));
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double x, y;
        if (!slot_stat(a, (Stat)stat, &x) || !slot_stat(b, (Stat)stat, &y) ||
            !(fabs(x - y) <= CAST_ROUNDS * floor_step(fmax(fabs(x), fabs(y)), step)))
            return false;
    }
    return true;
}

// Whether a result of one op is what another takes, in both dumps.
static bool is_given(const Comparison *comparison, uint32_t result, uint32_t taken)
{
    const SlotPair *a = &comparison->slots[result], *b = &comparison->slots[taken];
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    const uint32_t from[2] = {a->golden, a->target}, to[2] = {b->golden, b->target};
    for (int side = 0; side < 2; side++) {
        const Slot *x = &dumps[side]->slots[from[side]], *y = &dumps[side]->slots[to[side]];
        if (!evidence_holds_same(x, y) && !is_cast(dumps[side], x, y))
            return false;
    }
    return true;
}

static Hop given_by(const Comparison *comparison, uint32_t op, Hop taken)
{
    const OpPair *pair = &comparison->ops[op];
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++)
        if (has_norms(&comparison->slots[i]) && golden_slot(comparison, i)->group == GROUP_OUTPUT &&
            is_given(comparison, i, taken.slot))
            return (Hop){op, i};
    return (Hop){PAIR_NONE, SLOT_NONE};
}

// The result that is what `taken` takes, of the last op before it; of a module, that of an op in it
// which gives the same.
static Hop giver_of(const Comparison *comparison, Hop taken)
{
    Hop found = {PAIR_NONE, SLOT_NONE};
    NodeId module = NODE_NONE;
    for (uint32_t at = taken.op; at-- > 0;) {
        if (!op_has_both(&comparison->ops[at]))
            continue;
        const Op *op = golden_op(comparison, at);
        // Gradients of weights stand between, in no module.
        if (module != NODE_NONE && op->kind != OP_GRADS &&
            !graph_op_is_inside(comparison->golden, comparison->ops[at].golden, module))
            break;
        Hop giver = given_by(comparison, at, taken);
        if (giver.slot == SLOT_NONE)
            continue;
        found = giver;
        if (op->kind != OP_MODULE)
            break;
        module = graph_find(comparison->golden, op->name);
    }
    return found;
}

// The backward call of the module of which an op holds the gradients; PAIR_NONE: there are none, or
// several.
static uint32_t backward_of(const Comparison *comparison, uint32_t grads)
{
    enum { REACH = 8 };
    const Dump *golden = comparison->golden->dump;
    Str stem = op_name_of(golden->names, golden_op(comparison, grads)->name).stem;
    uint32_t from = grads > REACH ? grads - REACH : 0, found = PAIR_NONE;
    for (uint32_t at = from; at < comparison->op_count && at <= grads + REACH; at++) {
        if (!op_has_both(&comparison->ops[at]))
            continue;
        const Op *op = golden_op(comparison, at);
        if (op->kind != OP_MODULE || op->direction != DIR_BACKWARD ||
            !str_equal(op_name_of(golden->names, op->name).stem, stem))
            continue;
        if (found != PAIR_NONE)
            return PAIR_NONE;
        found = at;
    }
    return found;
}

// What an op that differs was given of it; its slot is SLOT_NONE where the op made it. Gradients of
// weights are made of what the backward call of their module is given.
static Hop given_to(const Comparison *comparison, Hop result, double most)
{
    Hop none = {PAIR_NONE, SLOT_NONE};
    bool grads = golden_op(comparison, result.op)->kind == OP_GRADS;
    uint32_t op = grads ? backward_of(comparison, result.op) : result.op;
    double error = 0;
    uint32_t worst = op == PAIR_NONE ? SLOT_NONE : worst_given(comparison, op, result.slot, &error);
    return error > most * comparison->slots[result.slot].norm_error ? (Hop){op, worst} : none;
}

// How many times its floor a slot is off.
static double times_of(const SlotPair *slot)
{
    return slot->floor > 0 ? slot->error / (double)slot->floor : 0;
}

// Of the results that ops in the module made, as far off as that of the module itself, the one
// furthest beyond its noise; that of the module where there is none.
static Hop made_inside(const Comparison *comparison, Hop module)
{
    Hop found = module;
    double least = KEPT_LEAST * comparison->slots[module.slot].norm_error;
    NodeId node = graph_find(comparison->golden, golden_op(comparison, module.op)->name);
    if (golden_op(comparison, module.op)->kind != OP_MODULE || node == NODE_NONE)
        return module;
    for (uint32_t at = module.op; at-- > 0;) {
        const OpPair *pair = &comparison->ops[at];
        if (!op_has_both(pair) || golden_op(comparison, at)->kind == OP_MODULE ||
            !graph_op_is_inside(comparison->golden, pair->golden, node))
            continue;
        for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
            const SlotPair *slot = &comparison->slots[i];
            if (!has_norms(slot) || golden_slot(comparison, i)->group != GROUP_OUTPUT ||
                slot->norm_error < least ||
                given_to(comparison, (Hop){at, i}, BORN_MOST).slot != SLOT_NONE)
                continue;
            if (found.slot == module.slot ||
                times_of(slot) >= times_of(&comparison->slots[found.slot]))
                found = (Hop){at, i};
        }
    }
    return found;
}

// Back from what differs. False: it was made there, or is lost from sight on the way.
static bool follow(Trace *trace, Hop from)
{
    const Comparison *comparison = trace->comparison;
    double least = KEPT_LEAST * comparison->slots[from.slot].norm_error;
    bool taken = !is_result(comparison, from.slot);
    Hop at = taken ? from : given_to(comparison, from, GIVEN_MOST), last = from;
    while (at.slot != SLOT_NONE && trace->count + 3 <= HOPS_MOST) {
        if (trace->sources[comparison->slots[at.slot].golden] != SOURCE_COMPUTED)
            return false;
        trace->hops[trace->count++] = at;
        last = giver_of(comparison, at);
        if (last.slot == SLOT_NONE || !(comparison->slots[last.slot].norm_error >= least))
            return false;
        trace->hops[trace->count++] = last;
        at = given_to(comparison, last, BORN_MOST);
    }
    if (at.slot != SLOT_NONE)
        return false;
    Hop inside = made_inside(comparison, last);
    if (inside.slot != last.slot)
        trace->hops[trace->count++] = inside;
    return trace->count > 0 && trace->hops[trace->count - 1].op < from.op;
}

static bool may_follow(const Comparison *comparison, const Divergence *first,
                       const uint8_t *sources)
{
    if (first->slot == SLOT_NONE || comparison->tolerances)
        return false;
    const SlotPair *pair = &comparison->slots[first->slot];
    if (!has_norms(pair) || pair->exact || pair->reason != REASON_STATISTIC)
        return false;
    return (first->kind == DIVERGE_OUTPUT && pair->metric == METRIC_NORM) ||
           (first->kind == DIVERGE_INPUT && sources[pair->golden] == SOURCE_COMPUTED);
}

uint32_t born_before(Comparison *comparison, const uint8_t *sources)
{
    const Divergence *first = &comparison->first;
    Trace trace = {.comparison = comparison, .sources = sources};
    if (!rule_on(comparison->without, RULE_ORIGIN) || !may_follow(comparison, first, sources) ||
        !follow(&trace, (Hop){first->op, first->slot}))
        return PAIR_NONE;
    Status status = (Status)comparison->slots[first->slot].status;
    for (uint32_t i = 0; i < trace.count; i++) {
        SlotPair *slot = &comparison->slots[trace.hops[i].slot];
        fold_accuse(slot, status, REASON_STATISTIC);
    }
    return trace.hops[trace.count - 1].op;
}
