// SPDX-License-Identifier: Apache-2.0
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
                   str_printf(of->scratch,
                              tr("the gradient " STR_FMT " sums up to %.6g, it should be %.6g"),
                              STR_ARG(found->shape), sum_of(found), due));
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

// ---- positions

typedef struct Turn {
    Str key;  // the op, the number of positions and what they are multiplied with
    double first;
    size_t calls, changes;
    Str op;  // where they changed first
    double other;
} Turn;

typedef struct Turns {
    Turn *items;
    size_t count, capacity;
} Turns;

// From Min to Max by one, as Mean and Norm of such numbers alone are.
static bool counts_up(const TensorSeen *seen)
{
    enum { FEWEST = 4 };
    static const double near = 1e-6;
    double low = seen->stat[STAT_MIN], high = seen->stat[STAT_MAX], many = (double)seen->elements;
    if (!sums_told(seen) || !tensor_seen_has_ends(seen) || tensor_seen_rounded(seen) ||
        seen->elements < FEWEST || high - low + 1 != many)
        return false;
    double mean = (low + high) / 2, squares = mean * mean + (many * many - 1) / 12;
    return fabs(seen->stat[STAT_MEAN] - mean) <= near * (fabs(mean) + 1) &&
           fabs(seen->stat[STAT_NORM] - sqrt(squares * many)) <= near * sqrt(squares * many);
}

static void look_positions(Looking *of, const Op *op, unsigned traits, Turns *all)
{
    TensorSeen one, two;
    const OpName *name = &of->names[look_index(of, op)];
    bool product = traits & (OP_MULTIPLIES | OP_MATMUL);
    if ((!product && !STR_IN(name->type_name, "outer", "ger", "einsum")) ||
        !look_tensor(of, op, "input.0", &one) || !look_tensor(of, op, "input.1", &two))
        return;
    const TensorSeen *positions = counts_up(&one) ? &one : &two;
    const TensorSeen *rates = positions == &one ? &two : &one;
    if (!counts_up(positions) || !tensor_seen_rich(rates) || counts_up(rates))
        return;
    Str key = str_printf(of->scratch, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(name->stem),
                         STR_ARG(positions->shape), STR_ARG(tensor_seen_text(rates, of->scratch)));
    Turn *it = all->items, *end = all->items + all->count;
    while (it < end && !str_equal(it->key, key))
        it++;
    if (it == end) {
        it = ARRAY_PUSH(of->scratch, all);
        *it = (Turn){.key = key, .first = positions->stat[STAT_MIN]};
        it->other = it->first;
    }
    it->calls++;
    if (positions->stat[STAT_MIN] != it->other) {
        it->op = it->changes++ ? it->op : look_name(of, op);
        it->other = positions->stat[STAT_MIN];
    }
}

// Positions that change again and again are those of parts that take turns.
static void judge_positions(Looking *of, const Turns *all)
{
    enum { CALLS_FROM = 4, CHANGES = 2 };
    for (size_t i = 0; i < all->count; i++) {
        const Turn *it = &all->items[i];
        if (it->calls < CALLS_FROM || it->changes > CHANGES)
            continue;
        of->out->local[LOCAL_LAYERS].checked++;
        if (it->changes)
            look_break(of, LOCAL_LAYERS, it->op,
                       str_printf(of->scratch,
                                  tr("its positions start elsewhere, at %.6g before it"),
                                  it->first));
    }
}

void witness_sums(Looking *of)
{
    Turns turns = {0};
    bool trains = false;
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if (op->kind != OP_API || op->direction == DIR_NONE)
            continue;
        if (op->direction == DIR_FORWARD) {
            look_positions(of, op, of->traits[i], &turns);
            continue;
        }
        look_gradient(of, op, of->traits[i]);
        trains = true;
    }
    if (trains)
        judge_positions(of, &turns);
}
