// SPDX-License-Identifier: Apache-2.0
#include "compare/sum_up.h"

#include <math.h>
#include <string.h>

#include "compare/absent.h"
#include "compare/born.h"
#include "compare/diverge.h"
#include "compare/judge/carried.h"
#include "compare/judge/fold.h"
#include "compare/tree_align.h"

// How many slots may be looked at for results before, so that the work stays linear.
#define CARRIED_BUDGET (UINT64_C(1) << 24)

static const Slot *slot_of(const Comparison *comparison, const SlotPair *pair)
{
    return pair->target != SLOT_NONE ? &comparison->target->dump->slots[pair->target]
                                     : &comparison->golden->dump->slots[pair->golden];
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
        out->compared_tensors += told && slot_of(out, pair)->kind == SLOT_TENSOR;
        out->lost += pair->reason == REASON_LOST;
        out->carried += reason_is_vouched(pair->reason);
        out->widened += pair->widened && pair->status == STATUS_PASS;
        if (told && isfinite(pair->norm_error) && pair->norm_error > out->largest_error) {
            out->largest_error = pair->norm_error;
            bool own = pair->metric == METRIC_NORM || pair->metric == METRIC_ELEMENTS;
            out->largest_floor = own ? (double)pair->floor : (double)NAN;
        }
    }
    // Where every op lost its results, their inputs may have been compared all the same.
    worst = worst == STATUS_NO_DATA ? slots : worst;
    out->status = worst == STATUS_UNMATCHED ? STATUS_ERROR : worst;
}

// What only shows after the first divergence is known: gradients of weights have no inputs of their
// own, and the op where the runs part starts its error itself.
static void settle_inheritance(Comparison *out)
{
    if (out->first.kind == DIVERGE_NONE)
        return;
    out->ops[out->first.op].inherited = false;
    const Dump *golden = out->golden->dump;
    for (uint32_t i = out->first.op + 1; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->golden != OP_NONE && golden->ops[op->golden].kind == OP_GRADS)
            op->inherited = true;
    }
}

// Up to the op where the runs part; what comes after it inherits.
static void settle_carried(Comparison *out, const uint8_t *sources)
{
    uint64_t budget = CARRIED_BUDGET;
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->status == STATUS_UNMATCHED || !status_differs((Status)op->status))
            continue;
        if (carried_pass(out, i, sources, &budget))
            fold_op(out, op);
        if (status_differs((Status)op->status) && op->output_status != STATUS_SAME)
            return;
    }
}

// An earlier op that made the difference is the one where the runs part.
static void settle_birth(Comparison *out, const uint8_t *sources)
{
    uint32_t born = born_before(out, sources), shows = out->first.op;
    if (born == PAIR_NONE)
        return;
    for (uint32_t i = born; i < out->op_count; i++)
        if (op_has_both(&out->ops[i]))
            fold_op(out, &out->ops[i]);
    diverge_find(out, sources);
    out->first.shows = shows;
}

void sum_up_comparison(Comparison *out, const uint8_t *sources, Arena *arena)
{
    if (out->rules == RULES_VERNIER) {
        // Measured noise and the user's tolerances say by themselves what an op may be off.
        if (!out->tolerances && !out->noise_known)
            settle_carried(out, sources);
        absent_unfelt(out);
    }
    diverge_find(out, sources);
    if (out->rules == RULES_VERNIER)
        settle_birth(out, sources);
    settle_inheritance(out);
    memset(out->op_counts, 0, sizeof out->op_counts);
    memset(out->slot_counts, 0, sizeof out->slot_counts);
    out->matched_ops = out->unmatched_golden = out->unmatched_target = 0;
    out->compared = out->compared_tensors = out->lost = out->carried = out->widened = 0;
    out->largest_error = 0;
    out->largest_floor = (double)NAN;
    align_trees(out, arena);
    count_all(out);
}
