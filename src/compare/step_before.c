// SPDX-License-Identifier: Apache-2.0
#include "compare/step_before.h"

#include "compare/judge/fold.h"
#include "compare/kept_state.h"
#include "compare/noise_gradient.h"
#include "compare/not_updated.h"

static bool some_op_differs(const Comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (status_differs((Status)comparison->ops[i].status))
            return true;
    return false;
}

bool step_before_asked(const Comparison *comparison, const uint8_t *sources)
{
    bool parts = some_op_differs(comparison);
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        if (not_updated_asked(comparison, &comparison->slots[i], sources) ||
            noise_gradient_asked(comparison, &comparison->slots[i], sources, parts) ||
            kept_state_asked(comparison, &comparison->slots[i], sources))
            return true;
    return false;
}

static SlotValues results_of(const Dump *dump, Arena *arena)
{
    SlotValues results;
    slot_values_init(&results, dump, GROUP_OUTPUT, arena);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].group == GROUP_OUTPUT && dump->slots[i].kind == SLOT_TENSOR)
            slot_values_put(&results, i);
    return results;
}

void step_before_judge(Comparison *comparison, const uint8_t *sources, const Graph *const before[2])
{
    bool parts = some_op_differs(comparison);
    Arena *scratch = arena_new();
    SlotValues results = results_of(before[0]->dump, scratch);
    SlotsBefore slots[2] = {slots_before(before[0], scratch), slots_before(before[1], scratch)};
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            SlotPair *pair = &comparison->slots[k];
            changed |= (not_updated_asked(comparison, pair, sources) &&
                        not_updated_mark(comparison, op, pair, slots)) ||
                       (noise_gradient_asked(comparison, pair, sources, parts) &&
                        noise_gradient_pass(comparison, op, pair, slots, sources)) ||
                       (kept_state_asked(comparison, pair, sources) &&
                        kept_state_pass(comparison, pair, slots, &results));
        }
        if (changed)
            fold_op(comparison, op);
    }
    arena_release(scratch);
}
