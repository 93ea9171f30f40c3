// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/frozen_weights.h"

#include "base/words.h"
#include "compare/flow.h"

// Whether the pair is of a weight that one side alone trains.
static bool is_trained_once(const Comparison *comparison, const SlotPair *pair)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE)
        return false;
    const Slot *golden = &comparison->golden->dump->slots[pair->golden];
    const Slot *target = &comparison->target->dump->slots[pair->target];
    return golden->requires_grad != TRI_ABSENT && target->requires_grad != TRI_ABSENT &&
           golden->requires_grad != target->requires_grad &&
           comparison->flows[0]->source[pair->golden] == SOURCE_PARAMETER &&
           comparison->flows[1]->source[pair->target] == SOURCE_PARAMETER;
}

void frozen_weights_tell(const Comparison *comparison, Notices *notices)
{
    const OpPair *first = NULL;
    const SlotPair *slot = NULL;
    size_t count = 0;
    for (size_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            if (!is_trained_once(comparison, &comparison->slots[k]))
                continue;
            first = first ? first : op;
            slot = slot ? slot : &comparison->slots[k];
            count++;
        }
    }
    if (!first)
        return;
    const Dump *dump = comparison->golden->dump;
    bool golden = dump->slots[slot->golden].requires_grad == TRI_TRUE;
    notices_add(notices, NOTICE_WARNING, NOWHERE,
                tr_count(count,
                         "%zu weight requires a gradient on one side only: " STR_FMT " of " STR_FMT
                         " in %s",
                         "%zu weights require a gradient on one side only, first " STR_FMT
                         " of " STR_FMT " in %s"),
                count, STR_ARG(names_text(dump->names, dump->slots[slot->golden].path)),
                STR_ARG(names_text(dump->names, dump->ops[first->golden].name)),
                golden ? tr("golden") : tr("the target"));
}
