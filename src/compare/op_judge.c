// SPDX-License-Identifier: Apache-2.0
#include "compare/op_judge.h"

#include <math.h>
#include <string.h>

#include "compare/flow.h"
#include "compare/judge/argument_text.h"
#include "compare/judge/fold.h"
#include "compare/match/argument_names.h"
#include "compare/nonfinite/comm_call.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

Precision op_judge_precision(Precision run, const Flow *flow, const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &flow->dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        Precision own = (Precision)flow->precisions[slot->dtype];
        if (epsilon_of(own) > epsilon_of(run))
            run = own;
    }
    return run;
}

void op_judge_name(OpJudge *judge, const OpPair *op, Arena *arena)
{
    const Dump *target = judge->context.target;
    const Op *record = &target->ops[op->target];
    judge->context.op = names_text(target->names, record->name);
    if (judge->criteria)
        criteria_pick(judge->criteria, judge->context.op, arena, &judge->picked);
    judge->context.criteria = judge->criteria ? &judge->picked.rules : NULL;
}

// Dumpers blank out the buffers that a collective fills; a tensor that it gives was lost.
static bool gift_is_lost(const OpJudge *judge, const OpPair *op, const SlotPair *pair)
{
    const Slot *golden = &judge->context.golden->slots[pair->golden];
    const Slot *target = &judge->context.target->slots[pair->target];
    if (!judge->context.communication || (golden->kind == SLOT_NULL) == (target->kind == SLOT_NULL))
        return false;
    const Slot *told = golden->kind == SLOT_NULL ? target : golden;
    if (told->kind != SLOT_TENSOR || !recorded_told(told) || recorded_role(told) != SLOT_INPUTS)
        return false;
    if (told == golden)
        return !comm_overwrites(judge->context.golden, op->golden, judge->out->rank, pair->golden);
    return !comm_overwrites(judge->context.target, op->target, judge->out->rank, pair->target);
}

// Whether the target's call fills that slot and does not read it: a buffer of a communication, the
// tensor itself of zero_ or copy_.
static bool is_filled(const OpJudge *judge, const OpPair *op, const SlotPair *pair)
{
    const Dump *dump = judge->context.target;
    const Op *record = &dump->ops[op->target];
    if (judge->context.communication)
        return comm_overwrites(dump, op->target, judge->out->rank, pair->target);
    if (record->kind != OP_API || record->direction != DIR_FORWARD ||
        !str_equal(names_text(dump->names, dump->slots[pair->target].path), STR("input.0")))
        return false;
    Str api = op_name_of(dump->names, record->name).type_name;
    if (!op_is_in_place(api))
        return false;
    unsigned does = op_traits(api);
    return !(does & API_UNDEFINED) && (does & (API_OVERWRITES | API_FIRST_IS_RESULT));
}

static const Slot *first_input(const Dump *dump, const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind == SLOT_TENSOR && slot_place_group(slot) == GROUP_INPUT)
            return slot;
    }
    return NULL;
}

// "[4, 8]" has 2, "[]" none.
static int64_t rank_of(const Dump *dump, const Slot *slot)
{
    Str shape = names_text(dump->names, slot->shape);
    int64_t commas = 0;
    for (size_t i = 0; i < shape.size; i++)
        commas += shape.data[i] == ',';
    return str_starts(shape, STR("[")) && shape.size > 2 ? commas + 1 : 0;
}

// The axis that an argument of a forward call names, counted from the front, or -1.
static int64_t axis_of(const Dump *dump, const Op *op, const Slot *argument)
{
    char buffer[40];
    int64_t axis;
    Str api = op_name_of(dump->names, op->name).type_name;
    const Slot *input = first_input(dump, op);
    if (!input || argument->kind != SLOT_SCALAR ||
        !str_equal(names_text(dump->names, argument->type), STR("int")) ||
        !argument_is_axis(api, names_text(dump->names, argument->path)) ||
        !str_to_int64(argument_text(dump, argument, buffer), &axis))
        return -1;
    int64_t rank = rank_of(dump, input) + argument_adds_axis(api);
    return axis < -rank || axis >= rank ? -1 : axis < 0 ? axis + rank : axis;
}

bool op_judge_is_default(const Dump *dump, uint32_t op, const Slot *argument)
{
    char buffer[40];
    const Op *record = &dump->ops[op];
    const Slot *input = first_input(dump, record);
    if (!input || record->kind != OP_API || record->direction != DIR_FORWARD ||
        argument->kind == SLOT_TENSOR ||
        !argument_is_dtype(op_name_of(dump->names, record->name).type_name,
                           names_text(dump->names, argument->path)))
        return false;
    Str own = names_text(dump->names, input->dtype);
    return str_find(own, STR("loat"), 0) != SIZE_MAX &&  // integers are summed in wider ones
           str_equal(argument_text(dump, argument, buffer), own);
}

// Whether two arguments that differ mean the same: axis 2 and -1 of three, the dtype of what goes
// in and none.
static bool same_meaning(const OpJudge *judge, const OpPair *op, const SlotPair *pair)
{
    const Dump *dumps[2] = {judge->context.golden, judge->context.target};
    const Slot *golden = &dumps[0]->slots[pair->golden], *target = &dumps[1]->slots[pair->target];
    const Op *records[2] = {&dumps[0]->ops[op->golden], &dumps[1]->ops[op->target]};
    if (records[0]->kind != OP_API || records[0]->direction != DIR_FORWARD ||
        golden->kind == SLOT_TENSOR || target->kind == SLOT_TENSOR ||
        slot_place_group(golden) != GROUP_INPUT)
        return false;
    if (golden->kind == SLOT_NULL)
        return op_judge_is_default(dumps[1], op->target, target);
    if (target->kind == SLOT_NULL)
        return op_judge_is_default(dumps[0], op->golden, golden);
    int64_t axis = axis_of(dumps[0], records[0], golden);
    return axis >= 0 && axis == axis_of(dumps[1], records[1], target) &&
           rank_of(dumps[0], first_input(dumps[0], records[0])) ==
               rank_of(dumps[1], first_input(dumps[1], records[1]));
}

void op_judge_pair(OpJudge *judge, const OpPair *op, SlotPair *pair)
{
    double *furthest = judge->context.furthest, before[STAT_COUNT];
    memcpy(before, furthest, sizeof before);
    judge->context.later = judge->parted && judge->sources[pair->golden] == SOURCE_COMPUTED;
    judge_slots(&judge->context, &judge->context.golden->slots[pair->golden],
                &judge->context.target->slots[pair->target], judge->sources[pair->golden], pair);
    if (status_differs((Status)pair->status) && is_filled(judge, op, pair) &&
        fold_excuse(judge->out, pair, REASON_OVERWRITTEN)) {
        memcpy(furthest, before, sizeof before);
        pair->norm_error = (double)NAN;
    }
    if (status_differs((Status)pair->status) && same_meaning(judge, op, pair) &&
        fold_excuse(judge->out, pair, REASON_SAME_MEANING)) {
        memcpy(furthest, before, sizeof before);
        pair->error = 0;
        pair->norm_error = (double)NAN;
    }
    if (rule_on(judge->out->without, RULE_LOST_GIFT) && gift_is_lost(judge, op, pair))
        fold_accuse(pair, (Status)pair->status, REASON_LOST);
}
