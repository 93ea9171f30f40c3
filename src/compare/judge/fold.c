// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/fold.h"

#include <math.h>

#include "compare/judge/op_error.h"

void fold_judged(SlotPair *pair, Status status, Reason reason, Metric metric)
{
    pair->status = (uint8_t)status;
    pair->reason = (uint8_t)reason;
    pair->metric = (uint8_t)metric;
}

bool fold_excuse(const Comparison *comparison, SlotPair *pair, Reason rule)
{
    if (!rule_on(comparison->without, rule))
        return false;
    fold_judged(pair,
                rule == REASON_SAME_MEANING ? STATUS_SAME
                : rule == REASON_REGROUPED  ? STATUS_NO_DATA
                                            : STATUS_PASS,
                rule, (Metric)pair->metric);
    return true;
}

void fold_given(Comparison *comparison, const SlotPair *pair, uint32_t given, double error)
{
    if (!comparison->given)
        comparison->given = ARENA_ARRAY(comparison->arena, Given, comparison->slot_count);
    comparison->given[pair - comparison->slots] = (Given){given + 1, (float)error};
}

void fold_accuse(SlotPair *pair, Status status, Reason reason)
{
    fold_judged(pair, status, reason, (Metric)pair->metric);
}

bool fold_settle(const Comparison *comparison, OpPair *op, Rule rule, Absence absence)
{
    if (!rule_on(comparison->without, rule))
        return false;
    op->status = STATUS_NO_DATA;
    op->absence = (uint8_t)absence;
    op->rule = (uint8_t)rule;
    return true;
}

void fold_alone(OpPair *op, bool known)
{
    op->status = known ? STATUS_UNMATCHED : STATUS_NO_DATA;
    op->input_status = op->output_status = STATUS_NO_DATA;
    op->error_in = op->error_out = (double)NAN;
    op->absence = ABSENCE_NONE;
    op->rule = REASON_NONE;
}

static Status status_in_op(const Comparison *comparison, const SlotPair *pair)
{
    if (pair->status != STATUS_UNMATCHED)
        return (Status)pair->status;
    return shown_slot(comparison, pair)->kind == SLOT_TENSOR ? STATUS_ERROR : STATUS_WARNING;
}

// -1: all bit for bit; NaN: no tensor with a norm.
static void take_error(double *worst, const SlotPair *pair)
{
    if (isnan(pair->norm_error))
        return;
    double error = pair->status == STATUS_SAME ? -1 : pair->norm_error;
    if (isnan(*worst) || error > *worst)
        *worst = error;
}

void fold_op(Comparison *out, OpPair *op)
{
    bool computed_differs = false, source_differs = false, result_lost = false;
    op->error_in = op->error_out = (double)NAN;
    op->status = op->input_status = op->output_status = STATUS_NO_DATA;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const SlotPair *pair = &out->slots[i];
        Status status = status_in_op(out, pair);
        bool output = group_is_result((SlotGroup)shown_slot(out, pair)->group);
        uint8_t *side = output ? &op->output_status : &op->input_status;
        *side = (uint8_t)status_worst((Status)*side, status);
        take_error(output ? &op->error_out : &op->error_in, pair);
        result_lost |= output && status == STATUS_NO_DATA && pair->reason == REASON_LOST;
        if (!output && status_differs(status)) {
            source_differs = source_differs || pair->exact;
            computed_differs = computed_differs || !pair->exact;
        }
    }
    op->status = (uint8_t)status_worst((Status)op->input_status, (Status)op->output_status);
    // Inputs that agree do not describe a result that nobody knows.
    if (result_lost && !status_differs((Status)op->status))
        op->status = STATUS_NO_DATA;
    op->inherited = computed_differs && !source_differs;
    op->error_in = op_error_deciding(out, op, OP_INPUTS, op->error_in);
    op->error_out = op_error_deciding(out, op, OP_OUTPUTS, op->error_out);
}
