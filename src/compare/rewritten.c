// SPDX-License-Identifier: Apache-2.0
// Ops that one side computes in other steps than the other side.
#include "compare/rewritten.h"

#include "compare/slot_values.h"

typedef struct Rewriting {
    const Comparison *comparison;
    const Dump *dumps[2];
    SlotValues given[2];   // results of the side's own ops
    SlotValues needed[2];  // values that both sides came to, and what these were made of
    bool *out;
} Rewriting;

static const Op *own_op(const Rewriting *rewriting, const OpPair *pair, int *side)
{
    *side = pair->target == OP_NONE ? 0 : 1;
    const Op *op = &rewriting->dumps[*side]->ops[*side == 0 ? pair->golden : pair->target];
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
                slot_values_add(&rewriting->given[side], op->first_slot + k);
    }
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
                (pair->status != STATUS_SAME && pair->status != STATUS_PASS))
                continue;
            const Slot *golden = &rewriting->dumps[0]->slots[pair->golden];
            const Slot *target = &rewriting->dumps[1]->slots[pair->target];
            if (!is_tensor(golden, false) || !slot_values_has(&rewriting->given[0], golden) ||
                !slot_values_has(&rewriting->given[1], target))
                continue;
            slot_values_add(&rewriting->needed[0], pair->golden);
            slot_values_add(&rewriting->needed[1], pair->target);
        }
    }
}

static bool gives_needed(const Rewriting *rewriting, int side, const Op *op)
{
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        const Slot *slot = &rewriting->dumps[side]->slots[k];
        if (is_tensor(slot, true) && slot_values_has(&rewriting->needed[side], slot))
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
                slot_values_add(&rewriting->needed[side], k);
    }
}

void rewritten_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    Rewriting rewriting = {.comparison = comparison,
                           .dumps = {comparison->golden->dump, comparison->target->dump},
                           .out = out};
    for (int side = 0; side < 2; side++) {
        slot_values_init(&rewriting.given[side], rewriting.dumps[side], GROUP_OUTPUT, scratch);
        slot_values_init(&rewriting.needed[side], rewriting.dumps[side], GROUP_COUNT, scratch);
    }
    collect_given(&rewriting);
    collect_needed(&rewriting);
    mark(&rewriting);
    for (uint32_t i = 0; comparison->regrouped && i < comparison->op_count; i++)
        out[i] = out[i] || comparison->regrouped[i];
}
