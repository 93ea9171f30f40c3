// SPDX-License-Identifier: Apache-2.0
#include "compare/diverge.h"

#include <math.h>

#include "compare/evidence.h"
#include "compare/judge/fold.h"
#include "compare/judge/judge.h"
#include "compare/judge/slot_source.h"
#include "read/dump/op_name.h"

static const Slot *slot_of(const Comparison *comparison, const SlotPair *pair)
{
    const Dump *dump =
        pair->target != SLOT_NONE ? comparison->target->dump : comparison->golden->dump;
    return &dump->slots[pair->target != SLOT_NONE ? pair->target : pair->golden];
}

static SlotGroup group_of(const Comparison *comparison, const SlotPair *pair)
{
    return (SlotGroup)slot_of(comparison, pair)->group;
}

// What a differing slot says about why the runs part. The smaller number explains the op: an
// argument before a weight before an input before the computation itself.
static DivergenceKind kind_of_slot(const Comparison *comparison, const SlotPair *pair,
                                   const uint8_t *sources)
{
    SlotGroup group = group_of(comparison, pair);
    if (group_is_result(group))
        return DIVERGE_OUTPUT;
    SlotKind kind = (SlotKind)slot_of(comparison, pair)->kind;
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
            is_zero(slot_of(comparison, &comparison->slots[i])))
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

// How many matched ops may stand between an op that one side lacks and the op whose input differs
// because of it.
enum { MISSING_REACH = 16 };

// Whether one side alone makes the call; `unused`: one whose results no recorded op takes counts
// too, as a view that nobody records may.
static bool is_lacked(const OpPair *op, bool unused)
{
    return op->status == STATUS_UNMATCHED || (unused && op->rule == RULE_LOGGING);
}

// The run of ops on one side only that may explain a differing input at `from`: its first op, or
// PAIR_NONE.
static uint32_t missing_before(Comparison *comparison, uint32_t from, bool unused)
{
    uint32_t matched = 0, found = PAIR_NONE;
    from = rule_on(comparison->without, RULE_MISSING_BEFORE) ? from : 0;
    for (uint32_t i = from; i-- > 0;) {
        OpPair *op = &comparison->ops[i];
        if (is_lacked(op, unused)) {
            found = i;
            fold_alone(op, true);
        } else if (found != PAIR_NONE || (op_has_both(op) && ++matched > MISSING_REACH))
            break;
    }
    return found;
}

static const Dump *dump_of(const Comparison *comparison, const OpPair *op)
{
    return op->target == OP_NONE ? comparison->golden->dump : comparison->target->dump;
}

static const Op *single_op(const Comparison *comparison, uint32_t at)
{
    const OpPair *op = &comparison->ops[at];
    return &dump_of(comparison, op)->ops[op->target == OP_NONE ? op->golden : op->target];
}

// Of an unmatched backward call: the forward call that has no partner either, or itself.
static uint32_t forward_twin(const Comparison *comparison, uint32_t at)
{
    const Op *backward = single_op(comparison, at);
    const Dump *dump = dump_of(comparison, &comparison->ops[at]);
    if (backward->direction != DIR_BACKWARD)
        return at;
    Str stem = op_name_of(dump->names, backward->name).stem;
    for (uint32_t i = at; i-- > 0;) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED || dump_of(comparison, op) != dump)
            continue;
        const Op *other = single_op(comparison, i);
        if (other->direction == DIR_FORWARD && other->call == backward->call &&
            other->kind == backward->kind &&
            str_equal(op_name_of(dump->names, other->name).stem, stem))
            return i;
    }
    return at;
}

// The run of unmatched ops that gave the slot's value on the one side or the other, however far
// before: its first op, or PAIR_NONE.
static uint32_t missing_source(const Comparison *comparison, uint32_t from, const SlotPair *slot)
{
    from = rule_on(comparison->without, RULE_MISSING_SOURCE) ? from : 0;
    for (uint32_t i = from; i-- > 0;) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED)
            continue;
        bool golden = op->target == OP_NONE;
        const Dump *dump = dump_of(comparison, op);
        uint32_t value = golden ? slot->golden : slot->target;
        if (value == SLOT_NONE || !op_gives(dump, golden ? op->golden : op->target, value))
            continue;
        i = forward_twin(comparison, i);
        while (i > 0 && comparison->ops[i - 1].status == STATUS_UNMATCHED)
            i--;
        return i;
    }
    return PAIR_NONE;
}

static bool is_module(const Comparison *comparison, uint32_t at)
{
    const OpPair *op = &comparison->ops[at];
    return op_has_both(op) && comparison->golden->dump->ops[op->golden].kind == OP_MODULE;
}

// How far apart two tensors are, of one dump or two: by the statistic that tells most.
static double apart(const Slot *a, const Slot *b)
{
    double most = 0;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double x, y;
        if (!slot_stat(a, (Stat)stat, &x) || !slot_stat(b, (Stat)stat, &y) || !isfinite(x - y))
            return (double)NAN;
        most = fmax(most, fabs(x - y));
    }
    return most;
}

// What an op took is what the other side has in place of its result where it is so much nearer.
#define TAKEN_NEARER 10

// Whether the op gave the one value and took the other, which is of the other side.
static bool made_of(const Dump *dump, uint32_t op, uint32_t value, const Slot *other)
{
    const Op *record = &dump->ops[op];
    if (!op_gives(dump, op, value))
        return false;
    double made = apart(&dump->slots[value], other);
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind == SLOT_TENSOR && !slot_is_result(slot) &&
            apart(slot, other) * TAKEN_NEARER <= made)
            return true;
    }
    return false;
}

// Takes back that the other side's collection leaves out the calls of that API or class.
static void lack(Comparison *comparison, const OpPair *like)
{
    const Dump *dump = dump_of(comparison, like);
    const Op *op = &dump->ops[like->target == OP_NONE ? like->golden : like->target];
    Str stem = op_name_of(dump->names, op->name).stem;
    bool golden = like->target == OP_NONE;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *pair = &comparison->ops[i];
        if (op_has_both(pair) || (pair->target == OP_NONE) != golden ||
            (pair->absence != ABSENCE_API && pair->absence != ABSENCE_CALLS) ||
            !str_equal(op_name_of(dump->names, single_op(comparison, i)->name).stem, stem))
            continue;
        fold_alone(pair, true);
    }
}

// The op of an API that one side seems not to record which gave the slot's value there, and took
// what the other side has in its place: that side did not call it. PAIR_NONE: none.
static uint32_t added_source(Comparison *comparison, uint32_t from, const SlotPair *slot)
{
    if (slot->golden == SLOT_NONE || slot->target == SLOT_NONE ||
        !rule_on(comparison->without, RULE_ADDED_SOURCE))
        return PAIR_NONE;
    const Slot *values[2] = {&comparison->golden->dump->slots[slot->golden],
                             &comparison->target->dump->slots[slot->target]};
    for (uint32_t i = from; i-- > 0;) {
        const OpPair *op = &comparison->ops[i];
        bool golden = op->target == OP_NONE;
        if (op_has_both(op) || (op->absence != ABSENCE_API && op->absence != ABSENCE_CALLS) ||
            !made_of(dump_of(comparison, op), golden ? op->golden : op->target,
                     golden ? slot->golden : slot->target, values[golden ? 1 : 0]))
            continue;
        lack(comparison, op);
        return i;
    }
    return PAIR_NONE;
}

// The missing op that explains why the slot `first` names differs, or PAIR_NONE. Only a differing
// input that nothing before it explains can come from an op that is missing, the result of a module
// that an op within it gave, or a gradient, which has no inputs of its own; one side may take an
// input for a weight because the op that changed the weight is missing there.
static uint32_t missing_cause(Comparison *comparison, const Divergence *first,
                              const uint8_t *sources)
{
    const SlotPair *slot = &comparison->slots[first->slot];
    SlotGroup group = group_of(comparison, slot);
    bool input = first->kind == DIVERGE_INPUT;
    bool taken = first->kind == DIVERGE_PARAMETER && group != GROUP_PARAMETERS;
    bool passed = first->kind == DIVERGE_OUTPUT && is_module(comparison, first->op);
    if (!input && !taken && !passed && group != GROUP_GRADS)
        return PAIR_NONE;
    uint32_t source = missing_source(comparison, first->op, slot);
    if (source == PAIR_NONE && (input || taken))
        source = added_source(comparison, first->op, slot);
    if (source != PAIR_NONE || !input)
        return source;
    // Indices that no op gave came from outside.
    bool outside = slot->golden != SLOT_NONE && sources[slot->golden] == SOURCE_INDEX;
    if (outside)
        return PAIR_NONE;
    source = missing_before(comparison, first->op, false);
    return source != PAIR_NONE ? source : missing_before(comparison, first->op, true);
}

static uint32_t first_unmatched(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].status == STATUS_UNMATCHED)
            return i;
    return PAIR_NONE;
}

// An op that one side lacks: the op that the other side runs at the same place is next to it, or
// else, where golden's op is the one that is gone, the op of the target at which it is first felt.
static void fill_missing(const Comparison *comparison, uint32_t at, uint32_t felt, Divergence *out)
{
    out->kind = DIVERGE_MISSING;
    out->op = at;
    bool golden_only = comparison->ops[at].target == OP_NONE;
    for (uint32_t i = at + 1; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->status != STATUS_UNMATCHED)
            break;
        if ((op->target == OP_NONE) != golden_only) {
            out->beside = i;
            return;
        }
    }
    if (golden_only)
        out->beside = felt;
}

void diverge_find(Comparison *comparison, const uint8_t *sources)
{
    Divergence *first = &comparison->first;
    *first = (Divergence){.op = PAIR_NONE,
                          .beside = PAIR_NONE,
                          .slot = SLOT_NONE,
                          .shows = PAIR_NONE,
                          .noise = (double)NAN};
    uint32_t differing = first_differing(comparison);
    if (differing != PAIR_NONE) {
        first->op = differing;
        explain(comparison, &comparison->ops[differing], sources, first);
    }
    uint32_t missing = differing == PAIR_NONE ? first_unmatched(comparison)
                                              : missing_cause(comparison, first, sources);
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
