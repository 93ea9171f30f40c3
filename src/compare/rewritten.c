// SPDX-License-Identifier: Apache-2.0
// Ops that one side computes in other steps than the other side.
#include "compare/rewritten.h"

#include "compare/judge/carried.h"

typedef struct Rewriting {
    const Comparison *comparison;
    const Dump *dumps[2];
    bool *given[2];   // by first slot of a value: a result of the side's own ops holds it
    bool *needed[2];  // and: both sides came to it, or what they came to was made of it
    bool *out;
} Rewriting;

// The mark of the value that a slot of that side holds; NULL: it is not known.
static bool *mark_of(const Rewriting *rewriting, bool *const marks[2], int side, uint32_t slot)
{
    uint32_t first = rewriting->comparison->flows[side]->same[slot];
    return first == SLOT_NONE ? NULL : &marks[side][first];
}

static bool is_marked(const Rewriting *rewriting, bool *const marks[2], int side, uint32_t slot)
{
    const bool *mark = mark_of(rewriting, marks, side, slot);
    return mark && *mark;
}

static void set_mark(const Rewriting *rewriting, bool *const marks[2], int side, uint32_t slot)
{
    bool *mark = mark_of(rewriting, marks, side, slot);
    if (mark)
        *mark = true;
}

static const Op *own_op(const Rewriting *rewriting, const OpPair *pair, int *side)
{
    *side = shown_side(pair);
    const Op *op = shown_op(rewriting->comparison, pair);
    bool open =
        pair->status == STATUS_UNMATCHED || (!op_has_both(pair) && pair->absence == ABSENCE_API);
    return open && op->direction == DIR_FORWARD ? op : NULL;
}

static bool is_tensor(const Slot *slot, bool result)
{
    return slot->kind == SLOT_TENSOR && (slot->group == GROUP_OUTPUT) == result;
}

static void collect_given(Rewriting *rewriting)
{
    for (uint32_t i = 0; i < rewriting->comparison->op_count; i++) {
        int side;
        const Op *op = own_op(rewriting, &rewriting->comparison->ops[i], &side);
        for (uint32_t k = 0; op && k < op->slot_count; k++)
            if (is_tensor(&rewriting->dumps[side]->slots[op->first_slot + k], true))
                set_mark(rewriting, rewriting->given, side, op->first_slot + k);
    }
}

bool rewritten_keeps(const Comparison *comparison, const SlotPair *pair)
{
    const Slot *golden = &comparison->golden->dump->slots[pair->golden];
    const Slot *target = &comparison->target->dump->slots[pair->target];
    Precision own = flow_precision(comparison->flows[0], golden);
    double errors[STAT_COUNT];
    if (pair->status == STATUS_SAME || !precision_is_half(own))
        return true;
    if (!carried_errors(comparison->golden->dump, golden, target, errors))
        return false;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (errors[stat] > (stat == STAT_MAX || stat == STAT_MIN ? 1 : 0.5) * epsilon_of(own))
            return false;
    return true;
}

// Inputs that agree, and that each side has from an op of its own.
static void collect_needed(Rewriting *rewriting)
{
    const Comparison *comparison = rewriting->comparison;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        for (uint32_t k = 0; op_has_both(op) && k < op->slot_count; k++) {
            const SlotPair *pair = &comparison->slots[op->first_slot + k];
            if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
                (pair->status != STATUS_SAME && pair->status != STATUS_PASS) ||
                !rewritten_keeps(comparison, pair))
                continue;
            if (!is_tensor(&rewriting->dumps[0]->slots[pair->golden], false) ||
                !is_marked(rewriting, rewriting->given, 0, pair->golden) ||
                !is_marked(rewriting, rewriting->given, 1, pair->target))
                continue;
            set_mark(rewriting, rewriting->needed, 0, pair->golden);
            set_mark(rewriting, rewriting->needed, 1, pair->target);
        }
    }
}

static bool gives_needed(const Rewriting *rewriting, int side, const Op *op)
{
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        if (is_tensor(&rewriting->dumps[side]->slots[k], true) &&
            is_marked(rewriting, rewriting->needed, side, k))
            return true;
    }
    return false;
}

// From the last op to the first: what made the needed values is needed.
static void mark(Rewriting *rewriting)
{
    for (uint32_t i = rewriting->comparison->op_count; i-- > 0;) {
        int side;
        const Op *op = own_op(rewriting, &rewriting->comparison->ops[i], &side);
        if (!op || !gives_needed(rewriting, side, op))
            continue;
        rewriting->out[i] = true;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (is_tensor(&rewriting->dumps[side]->slots[k], false))
                set_mark(rewriting, rewriting->needed, side, k);
    }
}

void rewritten_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    Rewriting rewriting = {.comparison = comparison,
                           .dumps = {comparison->golden->dump, comparison->target->dump},
                           .out = out};
    for (int side = 0; side < 2; side++) {
        size_t slots = (size_t)rewriting.dumps[side]->slot_count + 1;
        rewriting.given[side] = ARENA_ARRAY(scratch, bool, slots);
        rewriting.needed[side] = ARENA_ARRAY(scratch, bool, slots);
    }
    collect_given(&rewriting);
    collect_needed(&rewriting);
    mark(&rewriting);
    for (uint32_t i = 0; comparison->regrouped && i < comparison->op_count; i++)
        out[i] = out[i] || comparison->regrouped[i];
}
