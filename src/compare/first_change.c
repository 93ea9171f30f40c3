// SPDX-License-Identifier: Apache-2.0
#include "compare/first_change.h"

#include "compare/flow.h"
#include "compare/judge/amplify.h"
#include "compare/judge/fold.h"

// The index of the first op of which anything is not equal to the bit; `op_count`: none.
static uint32_t first_unequal(const Comparison *out)
{
    uint32_t at = 0;
    while (at < out->op_count &&
           (out->ops[at].status == STATUS_SAME || out->ops[at].status == STATUS_NO_DATA))
        at++;
    return at;
}

static void judge_first_slots(OpJudge *judge, const OpPair *op, bool outputs)
{
    JudgeContext *context = &judge->context;
    const Op *golden = &judge->context.golden->ops[op->golden];
    const Op *target = &judge->context.target->ops[op->target];
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &judge->out->slots[i];
        if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE || pair->status == STATUS_SAME ||
            pair->status == STATUS_NO_DATA)
            continue;
        const Slot *slot = &judge->context.golden->slots[pair->golden];
        if (slot_is_result(slot) != outputs || slot->kind != SLOT_TENSOR)
            continue;
        const Slot *other = &judge->context.target->slots[pair->target];
        context->golden_own = outputs ? amplify_own(judge->context.golden, golden, slot) : 1;
        context->target_own = outputs ? amplify_own(judge->context.target, target, other) : 1;
        op_judge_pair(judge, op, pair);
    }
}

void first_change_judge(OpJudge *judge, Arena *scratch)
{
    Comparison *out = judge->out;
    uint32_t at = first_unequal(out), alike = 0;
    bool left_out = false;
    for (uint32_t i = 0; i < at; i++) {
        alike += out->ops[i].output_status == STATUS_SAME;
        left_out = left_out || out->ops[i].absence != ABSENCE_NONE;
    }
    if (at == out->op_count || out->ops[at].status == STATUS_UNMATCHED || judge->context.noise ||
        !rule_on(out->without, RULE_FIRST_CHANGE))
        return;
    OpPair *op = &out->ops[at];
    bool outputs = op->input_status == STATUS_SAME;
    bool backward = judge->context.golden->ops[op->golden].direction == DIR_BACKWARD;
    if ((!outputs && alike < ROUNDS_ALIKE) || (backward && left_out))
        return;
    JudgeContext *context = &judge->context;
    op_judge_name(judge, op, scratch);
    context->run = op_judge_precision(PRECISION_EXACT, context->flows[0],
                                      &judge->context.golden->ops[op->golden]);
    context->run = op_judge_precision(context->run, context->flows[1],
                                      &judge->context.target->ops[op->target]);
    context->first_change = true;
    context->rounds_alike = !outputs;
    judge_first_slots(judge, op, outputs);
    context->first_change = context->rounds_alike = false;
    fold_op(out, op);
}
