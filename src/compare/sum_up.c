// SPDX-License-Identifier: Apache-2.0
#include "compare/sum_up.h"

#include <math.h>
#include <string.h>

#include "compare/absent.h"
#include "compare/coverage.h"
#include "compare/diverge.h"
#include "compare/judge/carried.h"
#include "compare/judge/floor.h"
#include "compare/judge/fold.h"
#include "compare/tree_align.h"

// Passing by a rule instead of a tolerance is counted elsewhere.
static void find_nearest(Comparison *out)
{
    for (uint32_t i = 0; i < out->op_count; i++)
        for (uint32_t k = 0; k < out->ops[i].slot_count; k++) {
            uint32_t slot = out->ops[i].first_slot + k;
            const SlotPair *pair = &out->slots[slot];
            if (pair->status != STATUS_PASS || !(pair->floor > 0) || !isfinite(pair->error) ||
                rule_table[pair->reason].scope == RULE_EXCUSES)
                continue;
            // An error is relative to golden, a floor to the larger of both sides.
            double share = fmin(pair->error / (double)pair->floor, 1);
            if (share <= out->nearest)
                continue;
            out->nearest = share;
            out->nearest_op = i;
            out->nearest_slot = slot;
        }
}

static void count_all(Comparison *out)
{
    Status worst = STATUS_NO_DATA, slots = STATUS_NO_DATA;
    for (uint32_t i = 0; i < out->op_count; i++) {
        const OpPair *op = &out->ops[i];
        out->op_counts[op->status]++;
        worst = status_worst(worst, (Status)op->status);
        out->matched_ops += op->golden != OP_NONE && op->target != OP_NONE;
        if (op->status != STATUS_UNMATCHED)
            continue;
        if (op->target == OP_NONE)
            out->unmatched_golden++;
        else if (op->golden == OP_NONE)
            out->unmatched_target++;
    }
    for (uint32_t i = 0; i < out->slot_count; i++) {
        const SlotPair *pair = &out->slots[i];
        out->slot_counts[pair->status]++;
        bool told = pair->golden != SLOT_NONE && pair->target != SLOT_NONE &&
                    pair->status != STATUS_NO_DATA;
        if (told && !status_differs((Status)pair->status))
            slots = status_worst(slots, (Status)pair->status);
        out->compared += told;
        out->compared_tensors += told && shown_slot(out, pair)->kind == SLOT_TENSOR;
        out->lost += pair->reason == REASON_LOST;
        out->carried += reason_is_vouched(pair->reason);
        out->widened += pair->widened && pair->status == STATUS_PASS;
        if (told && isfinite(pair->norm_error))
            out->largest_error = fmax(out->largest_error, pair->norm_error);
    }
    // Where every op lost its results, their inputs may have been compared all the same.
    worst = worst == STATUS_NO_DATA ? slots : worst;
    out->status = worst == STATUS_UNMATCHED ? STATUS_ERROR : worst;
}

// What only shows after the first divergence is known: the op there starts its error itself; a
// later op whose inputs nobody recorded, like a gradient of a weight, is not known to start one.
static void settle_inheritance(Comparison *out)
{
    if (out->first.kind == DIVERGE_NONE)
        return;
    out->ops[out->first.op].inherited = false;
    const Dump *golden = out->golden->dump;
    for (uint32_t i = out->first.op + 1; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->golden != OP_NONE && status_differs((Status)op->status) &&
            (golden->ops[op->golden].kind == OP_GRADS || op_inputs_unknown(op)))
            op->inherited = true;
    }
}

// Whether a value passes by more than rounding explains: above the limit of an error (10 floors of
// its type), no more than its inputs, or if weights have drifted.
static bool is_allowed(const Comparison *comparison, const SlotPair *pair, Precision run)
{
    static const Stat stats[METRIC_COUNT] = {[METRIC_NORM] = STAT_NORM,
                                             [METRIC_MAX] = STAT_MAX,
                                             [METRIC_MIN] = STAT_MIN,
                                             [METRIC_MEAN] = STAT_MEAN};
    enum { ERROR_FLOORS = 10 };
    if (pair->status != STATUS_PASS || reason_is_vouched(pair->reason) || pair->widened)
        return pair->status == STATUS_PASS;
    if (pair->metric < METRIC_NORM || pair->metric > METRIC_MEAN || pair->golden == SLOT_NONE ||
        comparison->noise_known || comparison->tolerances)
        return false;
    const Dump *golden = comparison->golden->dump;
    Precision own = precision_of_slot(golden->names, &golden->slots[pair->golden]);
    return pair->error > ERROR_FLOORS * floor_default(stats[pair->metric], own, run);
}

static void settle_allowances(Comparison *out)
{
    Precision run = precision_coarsest(out->golden->dump);
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        bool allowed = false;
        for (uint32_t k = 0; op->status == STATUS_PASS && k < op->slot_count; k++)
            allowed = allowed || is_allowed(out, &out->slots[op->first_slot + k], run);
        op->inherited = op->inherited || allowed;
    }
}

static bool is_integer(const Dump *dump, const Slot *slot)
{
    return str_find(names_text(dump->names, slot->dtype), STR("int"), 0) != SIZE_MAX ||
           str_find(names_text(dump->names, slot->dtype), STR("Int"), 0) != SIZE_MAX;
}

// The same integers, in another type of integers.
static bool are_same_integers(const Comparison *out, const SlotPair *pair)
{
    if (pair->reason != REASON_DTYPE)
        return false;
    const Slot *golden = &out->golden->dump->slots[pair->golden];
    const Slot *target = &out->target->dump->slots[pair->target];
    return is_integer(out->golden->dump, golden) && is_integer(out->target->dump, target) &&
           flow_equal(golden, target) && golden->checksum == NAME_NONE;
}

static void settle_integers(Comparison *out)
{
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        bool agrees = op->output_status == STATUS_SAME || op->output_status == STATUS_PASS;
        if (!op_has_both(op) || !status_differs((Status)op->status) || !agrees)
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (are_same_integers(out, &out->slots[k]))
                fold_excuse(out, &out->slots[k], REASON_INTEGER_TYPE);
        fold_op(out, op);
    }
}

// Up to the op where the runs diverge; what comes after it inherits.
static void settle_carried(Comparison *out)
{
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->status == STATUS_UNMATCHED || !status_differs((Status)op->status))
            continue;
        if (carried_pass(out, op))
            fold_op(out, op);
        if (status_differs((Status)op->status) && op->output_status != STATUS_SAME)
            return;
    }
}

void sum_up_comparison(Comparison *out, Arena *arena)
{
    if (out->rules == RULES_VERNIER) {
        // The user's tolerances say by themselves what an op may be off.
        if (!out->tolerances)
            settle_carried(out);
        settle_integers(out);
        absent_no_effect(out);
    }
    diverge_find(out);
    settle_inheritance(out);
    if (out->rules == RULES_VERNIER)
        settle_allowances(out);
    memset(out->op_counts, 0, sizeof out->op_counts);
    memset(out->slot_counts, 0, sizeof out->slot_counts);
    out->matched_ops = out->unmatched_golden = out->unmatched_target = 0;
    out->compared = out->compared_tensors = out->lost = out->carried = out->widened = 0;
    out->largest_error = out->nearest = 0;
    align_trees(out, arena);
    count_all(out);
    find_nearest(out);
    // An op without a partner is no divergence where nothing was compared, but of structures.
    if (out->compared == 0 && !coverage_are_structures(out))
        out->first = (Divergence){
            .kind = DIVERGE_NONE, .op = PAIR_NONE, .beside = PAIR_NONE, .slot = SLOT_NONE};
}
