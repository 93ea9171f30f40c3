// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/op_error.h"

#include <math.h>

#include "base/words.h"

// NULL where the side is within tolerance.
static const SlotPair *beyond_tolerance(const Comparison *comparison, const OpPair *pair,
                                        OpSide side)
{
    uint8_t status = side == OP_INPUTS ? pair->input_status : pair->output_status;
    return status_differs((Status)status) ? comparison_worst_slot(comparison, pair, side) : NULL;
}

double op_error_deciding(const Comparison *comparison, const OpPair *pair, OpSide side,
                         double norm_error)
{
    uint8_t status = side == OP_INPUTS ? pair->input_status : pair->output_status;
    const SlotPair *worst = beyond_tolerance(comparison, pair, side);
    if (worst && worst->reason != REASON_CHECKSUM && worst->reason != REASON_DTYPE &&
        !isnan(worst->error))
        return worst->error;
    return isnan(norm_error) && status == STATUS_SAME ? -1 : norm_error;
}

static bool slot_holds_nan(const Dump *dump, uint32_t slot)
{
    double value;
    for (int stat = 0; slot != SLOT_NONE && stat < STAT_COUNT; stat++)
        if (slot_stat(&dump->slots[slot], (Stat)stat, &value) && isnan(value))
            return true;
    return false;
}

static ErrorWord nonfinite_word(const Comparison *comparison, const SlotPair *slot)
{
    bool nan = slot_holds_nan(comparison->golden->dump, slot->golden) ||
               slot_holds_nan(comparison->target->dump, slot->target);
    return nan ? ERROR_WORD_NAN : ERROR_WORD_INF;
}

ErrorWord op_error_word(const Comparison *comparison, const OpPair *pair, OpSide side)
{
    const SlotPair *worst = beyond_tolerance(comparison, pair, side);
    double error = side == OP_INPUTS ? pair->error_in : pair->error_out;
    if (!worst || pair->status == STATUS_UNMATCHED)
        return ERROR_WORD_NONE;
    bool measured = isfinite(error) && error > 0;
    switch ((Reason)worst->reason) {
    case REASON_NONFINITE:
        return nonfinite_word(comparison, worst);
    case REASON_ARGUMENT:
        return ERROR_WORD_ARGUMENT;
    case REASON_DTYPE:
        return measured ? ERROR_WORD_NONE : ERROR_WORD_DTYPE;
    case REASON_SHAPE:
        return ERROR_WORD_SHAPE;
    case REASON_CHECKSUM:
        return measured || worst->norm_error == 0 ? ERROR_WORD_NONE : ERROR_WORD_DIFFERS;
    default:
        return isnan(error) ? ERROR_WORD_DIFFERS : ERROR_WORD_NONE;
    }
}

bool op_nan_in_both(const Comparison *comparison, const OpPair *pair, OpSide side)
{
    for (uint32_t i = pair->first_slot; i < pair->first_slot + pair->slot_count; i++) {
        const SlotPair *slot = &comparison->slots[i];
        const Dump *target = comparison->target->dump;
        if (slot->golden == SLOT_NONE || slot->target == SLOT_NONE)
            continue;
        bool result = group_is_result((SlotGroup)target->slots[slot->target].group);
        if (result == (side == OP_OUTPUTS) && slot_holds_nan(target, slot->target) &&
            slot_holds_nan(comparison->golden->dump, slot->golden))
            return true;
    }
    return false;
}

const char *error_word(ErrorWord word)
{
    static const char *const words[ERROR_WORD_COUNT] = {
        [ERROR_WORD_NONE] = "",           [ERROR_WORD_ARGUMENT] = TR("argument"),
        [ERROR_WORD_DTYPE] = TR("dtype"), [ERROR_WORD_SHAPE] = TR("shape"),
        [ERROR_WORD_DIFFERS] = "≠",       [ERROR_WORD_NAN] = "NaN",
        [ERROR_WORD_INF] = "Inf"};
    return words[word];
}
