// SPDX-License-Identifier: Apache-2.0
// Gradients that must add up, by Mean and Norm of one dump.
#include "compare/invariant/witness_look.h"

#include <float.h>
#include <math.h>

#include "base/words.h"
#include "compare/judge/floor.h"

bool sums_told(const TensorSeen *seen)
{
    static const double slack = 1e-3;
    uint8_t both = 1 << STAT_MEAN | 1 << STAT_NORM;
    double root = sqrt((double)seen->elements), norm = seen->stat[STAT_NORM];
    if ((seen->known & both) != both || !tensor_seen_finite(seen) || seen->elements == 0)
        return false;
    // No tensor has another order of these.
    double most = tensor_seen_has_ends(seen)
                      ? fmax(fabs(seen->stat[STAT_MAX]), fabs(seen->stat[STAT_MIN]))
                      : (double)INFINITY;
    return tensor_seen_rounded(seen) || tensor_seen_step(seen) > (double)FLT_EPSILON ||
           (fabs(seen->stat[STAT_MEAN]) * root <= norm * (1 + slack) + (double)FLT_MIN &&
            norm <= most * root * (1 + slack) + (double)FLT_MIN);
}

double sum_of(const TensorSeen *seen)
{
    return seen->stat[STAT_MEAN] * (double)seen->elements;
}

// A step of a coarse type, to which it is rounded last; of float32 several, as parts of it are
// rounded, too. What float16 cannot tell of many numbers added up is below its normal ones.
double sum_slack(const TensorSeen *seen)
{
    double many = (double)seen->elements,
           unit = fmax(tensor_seen_step(seen), 8 * (double)FLT_EPSILON);
    bool half = precision_of(seen->dtype) == PRECISION_F16;
    return unit * seen->stat[STAT_NORM] * sqrt(many) + tensor_seen_blur(seen, STAT_MEAN) * many +
           (half ? many / (1 << 24) : (double)FLT_MIN);
}

// ---- gradients

// The first tensor of that group that has sums; `shape`: of that shape, if it is given.
static bool tensor_with_sums(const Looking *of, const Op *op, SlotGroup group, const Str *shape,
                             TensorSeen *out)
{
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (slot_place_group(slot) != group || slot->kind != SLOT_TENSOR ||
            (shape && !str_equal(*shape, names_text(of->dump->names, slot->shape))))
            continue;
        look_read(of, slot, out);
        return sums_told(out) && tensor_seen_is_float(out);
    }
    return false;
}

static void judge_sum(Looking *of, const Op *op, const TensorSeen *found, double due, double slack)
{
    of->out->local[LOCAL_SUMS].checked++;
    if (!(fabs(sum_of(found) - due) <= sum_slack(found) + slack))
        look_break(of, LOCAL_SUMS, look_name(of, op),
                   tr("the gradient " STR_FMT " sums up to %.6g, it should be %.6g"),
                   STR_ARG(found->shape), sum_of(found), due);
}

// No row of it has a gradient that is taken from it: padding.
static bool is_plain_embedding(const Looking *of, const Op *forward)
{
    const Slot *padding = look_slot(of, forward, "input.2"), *scaled;
    padding = padding ? padding : look_slot(of, forward, "input.padding_idx");
    scaled = look_slot(of, forward, "input.5");
    scaled = scaled ? scaled : look_slot(of, forward, "input.scale_grad_by_freq");
    return (!padding || padding->kind != SLOT_SCALAR) &&
           (!scaled || !str_equal(names_text(of->dump->names, scaled->value), STR("True")));
}

// The bias is the last weight of a product; a gradient of its shape is its own.
static const Slot *bias_of(const Looking *of, const Op *forward, unsigned traits)
{
    const Slot *bias = traits & (OP_MATMUL | OP_CONVOLVES) && traits & OP_WEIGHT_2
                           ? look_slot(of, forward, "input.2")
                           : NULL;
    return bias && bias->kind == SLOT_TENSOR ? bias : NULL;
}

static void look_gradient(Looking *of, const Op *op, unsigned traits)
{
    TensorSeen came, gives;
    if (STR_IN(of->names[look_index(of, op)].type_name, "softmax", "log_softmax") &&
        tensor_with_sums(of, op, GROUP_OUTPUT, NULL, &gives) && gives.elements > 1)
        judge_sum(of, op, &gives, 0, 0);
    if (!(traits & (OP_MATMUL | OP_CONVOLVES | OP_EMBEDS)))
        return;
    const Op *forward = look_forward(of, op);
    const Slot *bias = forward ? bias_of(of, forward, traits) : NULL;
    bool embeds = forward && traits & OP_EMBEDS && is_plain_embedding(of, forward);
    Str shape = bias ? names_text(of->dump->names, bias->shape) : STR("");
    if ((bias || embeds) && tensor_with_sums(of, op, GROUP_INPUT, NULL, &came) &&
        tensor_with_sums(of, op, GROUP_OUTPUT, bias ? &shape : NULL, &gives) &&
        (embeds || came.elements >= gives.elements))
        judge_sum(of, op, &gives, sum_of(&came), sum_slack(&came));
}

void witness_sums(Looking *of)
{
    for (uint32_t i = 0; i < of->dump->op_count; i++)
        if (of->dump->ops[i].kind == OP_API && of->dump->ops[i].direction == DIR_BACKWARD)
            look_gradient(of, &of->dump->ops[i], of->traits[i]);
}
