// SPDX-License-Identifier: Apache-2.0
#include "compare/value_account.h"

#include "read/dump/slot_content.h"

static const Slot *slot_at(const Graph *graph, uint32_t slot)
{
    return slot == SLOT_NONE ? NULL : &graph->dump->slots[slot];
}

static bool holds_nan(const Graph *graph, const Slot *slot)
{
    return slot && (nonfinite_of(graph->dump, slot) & NONFINITE_NAN);
}

// Of a pair of slots without a status by its numbers.
static Aside why_not(const Comparison *comparison, const SlotPair *pair)
{
    const Slot *golden = slot_at(comparison->golden, pair->golden);
    const Slot *target = slot_at(comparison->target, pair->target);
    if (pair->reason == REASON_LOST)
        return ASIDE_LOST;
    if (pair->reason == REASON_IGNORED)
        return ASIDE_IGNORED;
    if (pair->reason == REASON_NOT_RECORDED)
        return ASIDE_NOT_RECORDED;
    if ((golden && golden->parts) || (target && target->parts))
        return ASIDE_JOINED;
    if (holds_nan(comparison->golden, golden) && holds_nan(comparison->target, target))
        return ASIDE_NONFINITE;
    return ASIDE_NO_VALUE;
}

static void add_pairs(const Comparison *comparison, const OpPair *op, Account *account)
{
    uint64_t compared = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &comparison->slots[i];
        uint64_t values = pair->golden != SLOT_NONE && pair->target != SLOT_NONE ? 2 : 1;
        if (pair->status != STATUS_NO_DATA)
            compared += values;
        else
            account_set_aside(account, why_not(comparison, pair), values);
    }
    account_compare(account, compared);
}

// An op that one side alone holds: missing, which is a difference, or settled by a rule.
static void add_alone(const Op *op, Absence absence, Account *account)
{
    if (absence == ABSENCE_NONE)
        account_compare(account, op->slot_count);
    else
        account_set_aside(account,
                          absence == ABSENCE_NO_EFFECT ? ASIDE_NO_EFFECT : ASIDE_NOT_RECORDED,
                          op->slot_count);
}

void value_account_add(const Comparison *comparison, Account *account)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->target == OP_NONE)
            add_alone(&comparison->golden->dump->ops[op->golden], (Absence)op->absence, account);
        else if (op->golden == OP_NONE)
            add_alone(&comparison->target->dump->ops[op->target], (Absence)op->absence, account);
        else
            add_pairs(comparison, op, account);
    }
}
