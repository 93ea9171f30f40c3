// SPDX-License-Identifier: Apache-2.0
#include "compare/handed_on.h"

#include <math.h>
#include <string.h>

#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "compare/slot_values.h"

typedef struct Handing {
    Comparison *out;
    const Dump *golden, *target;
    SlotValues given;   // golden's results of backward calls
    uint32_t *pair_of;  // by golden slot among them: its pair
} Handing;

static bool agrees(const SlotPair *pair)
{
    return pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
           (pair->status == STATUS_SAME || pair->status == STATUS_PASS);
}

static void collect_given(Handing *handing)
{
    for (uint32_t i = 0; i < handing->out->op_count; i++) {
        const OpPair *op = &handing->out->ops[i];
        if (!op_has_both(op) || handing->golden->ops[op->golden].direction != DIR_BACKWARD)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            const SlotPair *pair = &handing->out->slots[k];
            if (!agrees(pair) || handing->golden->slots[pair->golden].group != GROUP_OUTPUT ||
                handing->golden->slots[pair->golden].kind != SLOT_TENSOR)
                continue;
            slot_values_put(&handing->given, pair->golden);
            handing->pair_of[pair->golden] = k;
        }
    }
}

// Norm and Mean are sums, whose order follows the layout in memory.
static bool was_changed(const Handing *handing, const Slot *given, const Slot *listed)
{
    const Names *names = handing->target->names;
    double step = fmax(epsilon_of(precision_of_slot(names, given)),
                       epsilon_of(precision_of_slot(names, listed)));
    double largest = floor_scale(listed, STAT_MAX, 0);
    for (int stat = STAT_MAX; stat <= STAT_MIN; stat++) {
        double was, is;
        if (slot_stat(given, (Stat)stat, &was) && slot_stat(listed, (Stat)stat, &is) &&
            fabs(is - was) > step * largest)
            return true;
    }
    return false;
}

static bool is_asked(const Comparison *comparison, const OpPair *op, const SlotPair *pair)
{
    return op_has_both(op) && comparison->golden->dump->ops[op->golden].kind == OP_GRADS &&
           pair->status == STATUS_PASS && pair->reason == REASON_STATISTIC && agrees(pair);
}

static bool any_asked(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (is_asked(comparison, op, &comparison->slots[k]))
                return true;
    }
    return false;
}

static bool judge_gradient(Handing *handing, SlotPair *pair)
{
    uint32_t found = slot_values_find(&handing->given, &handing->golden->slots[pair->golden]);
    if (found == UINT32_MAX)
        return false;
    const SlotPair *given = &handing->out->slots[handing->pair_of[found]];
    if (!was_changed(handing, &handing->target->slots[given->target],
                     &handing->target->slots[pair->target]))
        return false;
    fold_accuse(pair, STATUS_ERROR, REASON_STATISTIC);
    return true;
}

void handed_on_judge(Comparison *comparison, Arena *scratch)
{
    Handing handing = {
        .out = comparison, .golden = comparison->golden->dump, .target = comparison->target->dump};
    if (comparison->rules != RULES_VERNIER || comparison->tolerances || handing.golden->merged ||
        handing.target->merged || !rule_on(comparison->without, RULE_HANDED_ON) ||
        !any_asked(comparison))
        return;
    slot_values_init(&handing.given, handing.golden, GROUP_OUTPUT, scratch);
    handing.pair_of = ARENA_ARRAY(scratch, uint32_t, (size_t)handing.golden->slot_count + 1);
    collect_given(&handing);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            changed |= is_asked(comparison, op, &comparison->slots[k]) &&
                       judge_gradient(&handing, &comparison->slots[k]);
        if (changed)
            fold_op(comparison, op);
    }
}
