// SPDX-License-Identifier: Apache-2.0
// What one dump alone decides: values that are not finite, saturated or constant, softmax.
#include "compare/invariant/witness_look.h"

#include <math.h>

#include "base/words.h"
#include "compare/judge/floor.h"

// The largest number of float16: what overflows and is clamped stays there.
#define FLOAT16_LARGEST 65504.0

enum { CONSTANT_FROM = 16 };

// ---- NaN and Inf

static bool born_in_backward(const Dump *dump, const Sighting *birth, uint32_t end)
{
    const Op *op = &dump->ops[birth->position - 1];
    return op->direction == DIR_BACKWARD || op->kind == OP_GRADS || birth->position > end;
}

static void look_overflow(Looking *of, const Trail *trail)
{
    uint32_t end = look_passes_end(of);
    bool backward = born_in_backward(of->dump, &trail->first, end);
    for (uint32_t i = 0; i < trail->later_count; i++)
        backward = backward && born_in_backward(of->dump, &trail->later[i], end);
    of->out->overflowed = backward && trail->later_count < TRAIL_LATER;
}

static void look_finite(Looking *of)
{
    const Trail *trail = &of->trail;
    of->out->unsure = trail->unsure;
    of->out->local[LOCAL_FINITE].checked = trail->unsure ? 0 : trail->tensors;
    if (trail->first.kind == BIRTH_NONE)
        return;
    of->out->local[LOCAL_FINITE].checked = trail->tensors;
    of->out->arrived = trail->first.kind == BIRTH_ARRIVAL;
    Str slot = trail->first.slot.size ? trail->first.slot : str_of(tr("the op"));
    look_break(of, LOCAL_FINITE, trail->first.op, tr(STR_FMT " holds %s"), STR_ARG(slot),
               trail->first.found & NONFINITE_NAN ? "NaN" : "Inf");
    of->out->local[LOCAL_FINITE].broken = trail->bad_ops ? trail->bad_ops : 1;
    look_overflow(of, trail);
}

void witness_finite(RankWitness *out, Str name, const TensorSeen *seen, bool nan)
{
    LocalSeen *local = &out->local[LOCAL_FINITE];
    nan = nan || tensor_seen_nan(seen);
    local->checked++;
    if (!nan && tensor_seen_finite(seen))
        return;
    if (local->broken < LOCAL_KEPT)
        local->first[local->broken] = (LocalBreak){
            name, str_of(nan ? tr("the tensor holds NaN") : tr("the tensor holds Inf"))};
    local->broken++;
}

// ---- saturated float16

static bool tells_max(const TensorSeen *seen)
{
    return seen->known >> STAT_MAX & 1 && !isnan(seen->stat[STAT_MAX]);
}

// Of a tensor of float16.
static bool is_clamped(const TensorSeen *seen)
{
    return tells_max(seen) && seen->stat[STAT_MAX] == FLOAT16_LARGEST;
}

// "_amp_foreach_non_finite_check_and_unscale_", "npu_unscale_"
static const char *const scaler_parts[] = {"_amp_", "unscale", "found_inf", NULL};

static void look_saturated(Looking *of, const Op *op, unsigned traits)
{
    bool clamped_before = false;  // or it may be
    if (traits & (API_FILLS | API_OVERWRITES | API_UNDEFINED))
        return;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        TensorSeen seen;
        if (slot->kind != SLOT_TENSOR || flow_precision(of->flow, slot) != PRECISION_F16)
            continue;
        of->out->scaled = true;
        look_read(of, slot, &seen);
        if (slot->group != GROUP_OUTPUT) {
            clamped_before = clamped_before || is_clamped(&seen) || !tells_max(&seen);
            continue;
        }
        if (!tells_max(&seen))
            continue;
        of->out->local[LOCAL_SATURATION].checked++;
        if (is_clamped(&seen) && !clamped_before)
            look_break(of, LOCAL_SATURATION, look_name(of, op),
                       tr("Max of " STR_FMT " is 65504, the largest float16"),
                       STR_ARG(names_text(of->dump->names, slot->path)));
    }
}

// ---- constant outputs

static void look_constant(Looking *of, const Op *op)
{
    TensorSeen input, weight, output;
    if (!look_tensor(of, op, "input.0", &input) || !look_tensor(of, op, "input.1", &weight) ||
        !look_tensor(of, op, "output.0", &output))
        return;
    if (!tensor_seen_rich(&input) || !tensor_seen_rich(&weight) || !tensor_seen_has_ends(&input) ||
        !tensor_seen_has_ends(&weight) || !tensor_seen_has_ends(&output) ||
        output.elements < CONSTANT_FROM || !tensor_seen_finite(&input) ||
        !tensor_seen_finite(&output))
        return;
    // What differs by less than the writer tells is not known to be one value.
    if (tensor_seen_constant(&output) && tensor_seen_rounded(&output))
        return;
    of->out->local[LOCAL_CONSTANT].checked++;
    if (tensor_seen_constant(&output))
        look_break(of, LOCAL_CONSTANT, look_name(of, op),
                   tr("all elements of output.0 are %g, from inputs that vary"),
                   output.stat[STAT_MAX]);
}

// ---- softmax

static bool softmax_dim(const Looking *of, const Op *op, int64_t *out)
{
    const Slot *slot = look_argument(of, op, "input.dim", "input.1");
    return slot && str_to_int64(look_value(of, slot), out);
}

static void look_softmax(Looking *of, const Op *op)
{
    TensorSeen output;
    int64_t dim, size;
    if (!look_tensor(of, op, "output.0", &output) || !tensor_seen_is_float(&output) ||
        output.known != (1 << STAT_COUNT) - 1 || !tensor_seen_finite(&output) ||
        !softmax_dim(of, op, &dim) || (size = look_dimension(output.shape, dim)) < 1)
        return;
    bool wide = str_ends(output.dtype, STR("32")) || str_ends(output.dtype, STR("64"));
    // Of rows of thousands, whose elements are rounded one by one; no softmax is off by more.
    double slack = wide ? 1e-3 : 5e-2, mean = output.stat[STAT_MEAN] * (double)size;
    slack += tensor_seen_blur(&output, STAT_MEAN) * (double)size;
    of->out->local[LOCAL_SOFTMAX].checked++;
    if (output.stat[STAT_MIN] < 0 || output.stat[STAT_MAX] > 1 + slack || fabs(mean - 1) > slack)
        look_break(of, LOCAL_SOFTMAX, look_name(of, op),
                   tr("its rows sum up to %.6g on average, from %.3g to %.3g"), mean,
                   output.stat[STAT_MIN], output.stat[STAT_MAX]);
}

void witness_local(Looking *of)
{
    look_finite(of);
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if (op->kind != OP_API && op->kind != OP_MODULE)
            continue;
        of->out->scaled = of->out->scaled || look_has_any(of->names[i].type_name, scaler_parts);
        look_saturated(of, op, of->traits[i]);
        if (op->direction != DIR_FORWARD || op->kind != OP_API)
            continue;
        if (of->traits[i] & (OP_MATMUL | OP_CONVOLVES))
            look_constant(of, op);
        else if (str_equal(of->names[i].type_name, STR("softmax")))
            look_softmax(of, op);
    }
    witness_again(of);
    witness_calls(of);
    witness_curves(of);
    witness_sums(of);
    witness_layers(of);
    if (of->out->expects && of->out->expects->count)
        witness_expect(of);
}
