// SPDX-License-Identifier: Apache-2.0
#include "compare/op_judge.h"

#include <math.h>
#include <string.h>

#include "compare/judge/slot_source.h"
#include "compare/nonfinite/comm_call.h"
#include "compare/nonfinite/nonfinite.h"
#include "read/dump/op_name.h"

Precision op_judge_precision(Precision run, const Dump *dump, const uint8_t *precisions,
                             const Op *op)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot->kind != SLOT_TENSOR)
            continue;
        Precision own = (Precision)precisions[slot->dtype];
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
    if (!str_ends(api, STR("_")) || str_ends(api, STR("__")))
        return false;
    unsigned does = nonfinite_api(api);
    return !(does & API_UNDEFINED) && (does & (API_OVERWRITES | API_FIRST_IS_RESULT));
}

void op_judge_pair(OpJudge *judge, const OpPair *op, SlotPair *pair)
{
    double *furthest = judge->context.furthest, before[STAT_COUNT];
    memcpy(before, furthest, sizeof before);
    judge->context.later = judge->parted && judge->sources[pair->golden] == SOURCE_COMPUTED;
    judge_slots(&judge->context, &judge->context.golden->slots[pair->golden],
                &judge->context.target->slots[pair->target], judge->sources[pair->golden], pair);
    if (status_differs((Status)pair->status) && is_filled(judge, op, pair)) {
        memcpy(furthest, before, sizeof before);
        pair->status = STATUS_PASS;
        pair->reason = REASON_OVERWRITTEN;
        pair->norm_error = (double)NAN;
    }
    if (gift_is_lost(judge, op, pair))
        pair->reason = REASON_LOST;
}
