// SPDX-License-Identifier: Apache-2.0
#include "compare/value_flow.h"

#include "compare/slot_values.h"

typedef struct Flow {
    const Comparison *comparison;
    const Dump *dump;   // the target's
    SlotValues given;   // outputs of the ops before, the latest of equal ones
    uint32_t *pair_of;  // by slot of an output: its op
} Flow;

// Of the slots of one side that differ; of equals the first whose giver differs itself.
static uint32_t giver_of(const Flow *flow, const OpPair *pair, bool outputs)
{
    uint32_t found = PAIR_NONE;
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        const SlotPair *slots = &flow->comparison->slots[i];
        if (slots->target == SLOT_NONE || !status_differs((Status)slots->status))
            continue;
        const Slot *slot = &flow->dump->slots[slots->target];
        if (slot->kind != SLOT_TENSOR || slot_is_output_tensor(slot) != outputs)
            continue;
        uint32_t at = slot_values_find(&flow->given, slot);
        uint32_t giver = at == UINT32_MAX ? PAIR_NONE : flow->pair_of[at];
        if (giver == PAIR_NONE)
            continue;
        if (status_differs((Status)flow->comparison->ops[giver].status))
            return giver;
        found = found == PAIR_NONE ? giver : found;
    }
    return found;
}

static void give(Flow *flow, uint32_t index)
{
    const OpPair *pair = &flow->comparison->ops[index];
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        uint32_t target = flow->comparison->slots[i].target;
        if (target == SLOT_NONE || !slot_is_output_tensor(&flow->dump->slots[target]))
            continue;
        slot_values_put(&flow->given, target);
        flow->pair_of[target] = index;
    }
}

uint32_t *value_flow_givers(const Comparison *comparison, Arena *arena)
{
    Arena *scratch = arena_new();
    Flow flow = {.comparison = comparison, .dump = comparison->target->dump};
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, comparison->op_count);
    slot_values_init(&flow.given, flow.dump, GROUP_OUTPUT, scratch);
    flow.pair_of = ARENA_ARRAY(scratch, uint32_t, flow.dump->slot_count);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        bool asked = status_differs((Status)pair->status);
        out[i] = asked ? giver_of(&flow, pair, false) : PAIR_NONE;
        if (asked && out[i] == PAIR_NONE)
            out[i] = giver_of(&flow, pair, true);
        give(&flow, i);
    }
    arena_release(scratch);
    return out;
}
