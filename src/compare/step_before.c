// SPDX-License-Identifier: Apache-2.0
#include "compare/step_before.h"

#include "compare/judge/fold.h"
#include "compare/noise_gradient.h"
#include "compare/not_updated.h"

bool step_before_asked(const Comparison *comparison)
{
    const uint8_t *sources = comparison->flows[0]->source;
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        if (not_updated_asked(comparison, &comparison->slots[i], sources) ||
            noise_gradient_asked(comparison, &comparison->slots[i], sources))
            return true;
    return false;
}

void step_before_judge(Comparison *comparison, const Graph *const before[2])
{
    const uint8_t *sources = comparison->flows[0]->source;
    Arena *scratch = arena_new();
    NoisyPart part = {0};
    SlotsBefore slots[2] = {slots_before(before[0], scratch), slots_before(before[1], scratch)};
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        OpPair *op = &comparison->ops[i];
        bool changed = false;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
            SlotPair *pair = &comparison->slots[k];
            changed |= (not_updated_asked(comparison, pair, sources) &&
                        not_updated_mark(comparison, op, pair, slots)) ||
                       (noise_gradient_asked(comparison, pair, sources) &&
                        noise_gradient_pass(comparison, op, pair, slots, &part)) ||
                       noise_gradient_part(comparison, pair, &part);
        }
        part.ops -= part.ops > 0;
        if (changed)
            fold_op(comparison, op);
    }
    arena_release(scratch);
}
