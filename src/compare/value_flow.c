// SPDX-License-Identifier: Apache-2.0
#include "compare/value_flow.h"

typedef struct Givers {
    const Comparison *comparison;
    const Flow *flow;   // the target's
    uint32_t *pair_of;  // by its op
} Givers;

// Of the slots of one side that differ; of equals the first whose producer differs itself.
static uint32_t giver_of(const Givers *givers, const OpPair *pair, bool outputs)
{
    uint32_t found = PAIR_NONE;
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        const SlotPair *slots = &givers->comparison->slots[i];
        if (slots->target == SLOT_NONE || !status_differs((Status)slots->status))
            continue;
        const Slot *slot = &givers->flow->dump->slots[slots->target];
        uint32_t op = givers->flow->producer[slots->target];
        if (slot->kind != SLOT_TENSOR || slot_is_output_tensor(slot) != outputs || op == SLOT_NONE)
            continue;
        op = (uint32_t)(dump_op_with(givers->flow->dump, op) - givers->flow->dump->ops);
        uint32_t giver = givers->pair_of[op];
        if (giver == PAIR_NONE)
            continue;
        if (status_differs((Status)givers->comparison->ops[giver].status))
            return giver;
        found = found == PAIR_NONE ? giver : found;
    }
    return found;
}

uint32_t *value_flow_givers(const Comparison *comparison, Arena *arena)
{
    Arena *scratch = arena_new();
    Givers givers = {.comparison = comparison,
                     .flow = comparison->flows[1],
                     .pair_of = pairs_by_op(comparison, 1, scratch)};
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, comparison->op_count);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        bool asked = status_differs((Status)pair->status);
        out[i] = asked ? giver_of(&givers, pair, false) : PAIR_NONE;
        if (asked && out[i] == PAIR_NONE)
            out[i] = giver_of(&givers, pair, true);
    }
    arena_release(scratch);
    return out;
}
