// SPDX-License-Identifier: Apache-2.0
#include "compare/first_change.h"

#include <math.h>

#include "compare/judge/amplify.h"
#include "compare/judge/fold.h"
#include "compare/judge/merged_layout.h"
#include "compare/judge/slot_source.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// The part of a step that rounding to a type hides, with room for what a sum in float32 rounds.
#define CAST_HIDES 0.501

static bool is_float(const Dump *dump, const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && precision_of_slot(dump->names, slot) != PRECISION_EXACT;
}

// An op that one side lacks and that hands on integers alone: what comes after it rounds as ever.
static bool rounds_nothing(const Comparison *out, const OpPair *op)
{
    if (op->status != STATUS_UNMATCHED || op_has_both(op) ||
        !rule_on(out->without, RULE_INTEGERS_ALONE))
        return false;
    bool golden = op->target == OP_NONE;
    const Dump *dump = golden ? out->golden->dump : out->target->dump;
    const Op *record = &dump->ops[golden ? op->golden : op->target];
    bool tensors = false;
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++) {
        if (is_float(dump, &dump->slots[i]))
            return false;
        tensors = tensors || dump->slots[i].kind == SLOT_TENSOR;
    }
    return tensors;
}

// The index of the first op of which anything is not equal to the bit; `op_count`: none.
static uint32_t first_unequal(const Comparison *out)
{
    uint32_t at = 0;
    while (at < out->op_count &&
           (out->ops[at].status == STATUS_SAME || out->ops[at].status == STATUS_NO_DATA ||
            rounds_nothing(out, &out->ops[at])))
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

// Whether golden's op takes its numbers from a weight by indices that were given: the statistics of
// a 16-bit result hide elements that are a step off, and indices of ties; a part of it shows them.
static bool takes_given(const OpJudge *judge, uint32_t op)
{
    const Dump *dump = judge->context.golden;
    const Op *record = &dump->ops[op];
    for (uint32_t i = 0; i < record->first_slot; i++)
        if (dump->slots[i].group == GROUP_OUTPUT && is_float(dump, &dump->slots[i]))
            return false;
    bool weight = false;
    for (uint32_t i = record->first_slot; i < record->first_slot + record->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        bool renorms = slot->kind == SLOT_SCALAR &&
                       STR_IN(names_text(dump->names, slot->path), "input.3", "max_norm");
        if (renorms || (is_float(dump, slot) && !slot_is_result(slot) &&
                        judge->sources[i] != SOURCE_PARAMETER))
            return false;
        weight = weight || judge->sources[i] == SOURCE_PARAMETER;
    }
    return weight && judge->context.weights_exact;
}

// Whether both ops give numbers that they took, and compute none.
static bool moves_numbers(const OpJudge *judge, const OpPair *op)
{
    const Dump *dumps[2] = {judge->context.golden, judge->context.target};
    const uint32_t ops[2] = {op->golden, op->target};
    bool moves =
             !merged_any(dumps[0], dumps[1]) && rule_on(judge->out->without, RULE_MOVED_NUMBERS),
         part = false;
    for (int side = 0; side < 2 && moves; side++) {
        const Op *record = &dumps[side]->ops[ops[side]];
        unsigned traits = op_traits(op_name_of(dumps[side]->names, record->name).type_name);
        part = part || traits & OP_TAKES;
        moves = record->direction == DIR_FORWARD &&
                (traits & OP_TAKES || (record->kind == OP_API && traits & OP_MOVES));
    }
    return moves && (!part || takes_given(judge, op->golden));
}

// Whether the statistics of a 16-bit result are those of `slot`, rounded to that type.
static bool rounds_to(const Slot *slot, const Slot *result, double step)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double fine, coarse;
        if (!slot_stat(slot, (Stat)stat, &fine) || !slot_stat(result, (Stat)stat, &coarse))
            return false;
        bool sum = stat == STAT_NORM || stat == STAT_MEAN;
        if (!(fabs(fine - coarse) <= (sum ? CAST_HIDES * floor_step(fine, step) : 0)))
            return false;
    }
    return true;
}

// Whether both sides' tensors are casts of a 16-bit result of which both told the same: Norm and
// Mean were rounded there to its type and show here what that hid.
static bool is_cast_of_same(const OpJudge *judge, const OpPair *op, const SlotPair *pair)
{
    const JudgeContext *context = &judge->context;
    const Slot *golden = &context->golden->slots[pair->golden];
    const Slot *target = &context->target->slots[pair->target];
    Precision own = precision_of_slot(context->golden->names, golden);
    for (uint32_t i = 0; own != PRECISION_EXACT && i < op->first_slot; i++) {
        const SlotPair *before = &judge->out->slots[i];
        if (before->status != STATUS_SAME || before->golden == SLOT_NONE)
            continue;
        const Slot *result = &context->golden->slots[before->golden];
        if (result->kind != SLOT_TENSOR || !slot_is_result(result) ||
            context->recorded[0].elements[result->shape] !=
                context->recorded[0].elements[golden->shape])
            continue;
        Precision coarse = precision_of_slot(context->golden->names, result);
        double step = epsilon_of(coarse);
        if (coarse >= PRECISION_F16 && step > epsilon_of(own) && rounds_to(golden, result, step) &&
            rounds_to(target, result, step))
            return true;
    }
    return false;
}

static void pass_casts(OpJudge *judge, const OpPair *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        SlotPair *pair = &judge->out->slots[i];
        if (!status_differs((Status)pair->status) || pair->exact ||
            pair->reason != REASON_STATISTIC || judge->sources[pair->golden] != SOURCE_COMPUTED ||
            slot_is_result(&judge->context.golden->slots[pair->golden]) ||
            !is_cast_of_same(judge, op, pair))
            continue;
        fold_excuse(judge->out, pair, REASON_CAST);
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
    context->run =
        op_judge_precision(PRECISION_EXACT, judge->context.golden, context->golden_precisions,
                           &judge->context.golden->ops[op->golden]);
    context->run =
        op_judge_precision(context->run, judge->context.target, context->target_precisions,
                           &judge->context.target->ops[op->target]);
    context->first_change = true;
    context->rounds_alike = !outputs;
    context->moves = outputs && moves_numbers(judge, op);
    judge_first_slots(judge, op, outputs);
    context->first_change = context->rounds_alike = context->moves = false;
    if (!outputs && !judge->criteria)
        pass_casts(judge, op);
    fold_op(out, op);
}

static bool is_coarse_weight(const OpJudge *judge, const SlotPair *pair)
{
    if (pair->golden == SLOT_NONE || pair->target == SLOT_NONE ||
        judge->sources[pair->golden] != SOURCE_PARAMETER)
        return false;
    const Slot *golden = &judge->context.golden->slots[pair->golden];
    const Slot *target = &judge->context.target->slots[pair->target];
    return precision_of_slot(judge->context.golden->names, golden) >= PRECISION_F16 &&
           precision_of_slot(judge->context.target->names, target) >= PRECISION_F16;
}

bool first_change_weights(OpJudge *judge, bool exact, Arena *scratch)
{
    Comparison *out = judge->out;
    uint32_t at = first_unequal(out);
    bool found = false;
    if (at == out->op_count || out->ops[at].status != STATUS_PASS ||
        !rule_on(out->without, RULE_REPEATS))
        return false;
    OpPair *op = &out->ops[at];
    op_judge_name(judge, op, scratch);
    judge->context.repeats = exact;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        if (out->slots[i].status != STATUS_PASS || !is_coarse_weight(judge, &out->slots[i]))
            continue;
        found = true;
        if (exact)
            op_judge_pair(judge, op, &out->slots[i]);
    }
    judge->context.repeats = false;
    if (exact)
        fold_op(out, op);
    return found;
}
