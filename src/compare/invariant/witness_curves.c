// SPDX-License-Identifier: Apache-2.0
// What functions of one variable must do, by Max and Min of one dump.
#include "compare/invariant/witness_look.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "compare/judge/floor.h"

// By how much a kernel that is right may be off its value, by the coarsest format it touches.
// Source: recordings of torch on CPU stay below 1e-7, 3e-4 and 5.2e-3.
static const double limits[PRECISION_COUNT] = {
    [PRECISION_F64] = 4e-6,
    [PRECISION_F32] = 4e-6,
    [PRECISION_F16] = 1.2e-3,
    [PRECISION_BF16] = 1e-2,
};

// Ends of complex numbers are ends of their sizes: what they are functions of is not known.
static Precision format_of(const TensorSeen *seen)
{
    bool complex = str_find(seen->dtype, STR("omplex"), 0) != SIZE_MAX;
    return complex ? PRECISION_EXACT : precision_of(seen->dtype);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Its first tensor of that group, where Max and Min are recorded as they are and finite.
static bool ends_of(const Looking *of, const Op *op, SlotGroup group, TensorSeen *out)
{
    return look_first(of, op, group, out) && tensor_seen_has_ends(out) && tensor_seen_finite(out) &&
           !tensor_seen_rounded(out);
}

// 0: no format of which a limit is known.
static double limit_of(const TensorSeen *a, const TensorSeen *b)
{
    double one = limits[format_of(a)], other = limits[format_of(b)];
    return one == 0 || other == 0 ? 0 : larger(one, other);
}

// An argument by keyword or place; `absent` where an API is not given it, NaN where it is no number
// or a module keeps it to itself.
static double setting_of(const Looking *of, const Op *op, const char *keyword, const char *place,
                         double absent)
{
    const Slot *slot = look_argument(of, op, keyword, place);
    double value = NAN;
    if (!look_slot(of, op, keyword) && !look_slot(of, op, place))
        return op->kind == OP_API ? absent : NAN;
    return number_of_text(look_value(of, slot), &value) ? value : NAN;
}

// ---- results

// NaN: not known.
static double value_at(const Looking *of, const Op *op, unsigned curve, double x)
{
    switch (curve) {
    case OP_RELU:
        return larger(x, 0);
    case OP_TANH:
        return tanh(x);
    case OP_SIGMOID:
        return 1 / (1 + exp(-x));
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return log(x);
    case OP_ELU:
        return x > 0 ? x : setting_of(of, op, "input.alpha", "input.1", 1) * expm1(x);
    case OP_SOFTPLUS: {
        double beta = setting_of(of, op, "input.beta", "input.1", 1);
        double threshold = setting_of(of, op, "input.threshold", "input.2", 20);
        return isnan(threshold) ? NAN : beta * x > threshold ? x : log1p(exp(beta * x)) / beta;
    }
    case OP_SILU:
        return x > 0 ? x / (1 + exp(-x)) : NAN;
    case OP_GELU:
        return x > 0 ? x / 2 * erfc(-x / sqrt(2)) : NAN;
    default:
        return NAN;
    }
}

// Of a gelu that is approximated by tanh, as its argument may say, or its device does.
static double other_value_at(unsigned curve, double x)
{
    static const double root = 0.7978845608028654, cubic = 0.044715;  // sqrt(2 / pi)
    return curve == OP_GELU && x > 0 ? x / 2 * (1 + tanh(root * (x + cubic * x * x * x))) : NAN;
}

static bool is_off(double value, double due, double limit, double step)
{
    return !(fabs(value - due) <= limit * fabs(due) + step);
}

static void look_curve(Looking *of, const Op *op, unsigned curve)
{
    TensorSeen input, output;
    if (!ends_of(of, op, GROUP_INPUT, &input) || !ends_of(of, op, GROUP_OUTPUT, &output) ||
        input.elements != output.elements)
        return;
    double limit = limit_of(&input, &output);
    double step = larger(tensor_seen_step(&input), tensor_seen_step(&output));
    // Of a call in place the input may be told after it.
    bool same = input.stat[STAT_MAX] == output.stat[STAT_MAX] &&
                input.stat[STAT_MIN] == output.stat[STAT_MIN];
    bool rising = curve != OP_SILU && curve != OP_GELU;
    for (int end = STAT_MAX; end <= STAT_MIN; end++) {
        double due = value_at(of, op, curve, input.stat[end]), value = output.stat[end];
        if (limit == 0 || !isfinite(due) || (end == STAT_MIN && !rising))
            continue;
        bool off = is_off(value, due, limit, step) &&
                   is_off(value, other_value_at(curve, input.stat[end]), limit, step);
        if (off && same)
            return;
        of->out->local[LOCAL_ELEMENTWISE].checked++;
        if (off)
            look_break(of, LOCAL_ELEMENTWISE, look_name(of, op),
                       tr("%s of the input is %.9g, of the output %.9g: it should be %.9g"),
                       end == STAT_MAX ? "Max" : "Min", input.stat[end], value, due);
        if (off)
            return;
    }
}

// ---- gradients

// Of a loss of distances: what each element gets of what arrives. 0: not known.
static double distance_slope(const Looking *of, const Op *forward, uint64_t elements)
{
    double out = elements ? 1 / (double)elements : 0;
    size_t tensors = 0;
    for (uint32_t i = 0; i < forward->slot_count; i++) {
        const Slot *slot = &of->dump->slots[forward->first_slot + i];
        Str path = names_text(of->dump->names, slot->path);
        bool mean = str_equal(path, STR("input.beta")) ||
                    str_equal(names_text(of->dump->names, slot->value), STR("mean"));
        if (slot_place_group(slot) != GROUP_INPUT)
            continue;
        if (slot->kind == SLOT_TENSOR)
            tensors++;
        else if (slot->kind == SLOT_SCALAR && !mean)  // of a sum, or of what may be one
            out = 1;
    }
    return tensors > 2 ? 0 : out;
}

// The least and the largest slope; false: it has no bound that is known. `gradient` is what comes
// out of its backward.
static bool slopes_of(const Looking *of, const Op *forward, unsigned curve,
                      const TensorSeen *gradient, double *low, double *high)
{
    static const struct {
        unsigned curve;
        double low, high;
    } bounds[] = {{OP_RELU, 0, 1},      {OP_TANH, 0, 1},           {OP_SOFTPLUS, 0, 1},
                  {OP_SIGMOID, 0, .25}, {OP_SILU, -.0999, 1.0999}, {OP_GELU, -.1292, 1.1292}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].curve == curve) {
            *low = bounds[i].low;
            *high = bounds[i].high;
            return true;
        }
    double alpha =
        forward && curve == OP_ELU ? setting_of(of, forward, "input.alpha", "input.1", 1) : NAN;
    double share =
        forward && curve == OP_DISTANCE ? distance_slope(of, forward, gradient->elements) : 0;
    *low = -share;
    *high = curve == OP_ELU ? larger(1, alpha) : share;
    return curve == OP_ELU ? alpha >= 0 : share > 0;
}

// Rounded as its format is at its smallest numbers.
static double least_of(const TensorSeen *seen)
{
    return format_of(seen) == PRECISION_F16 ? HALF_STEPS * FLOAT16_SMALLEST : FLT_MIN;
}

// Norm of 16 bits is off by far more than its elements: squares of gradients are no numbers there.
static bool norm_is_long(const TensorSeen *came, const TensorSeen *gives, double slope)
{
    static const double slack = 1e-3, least = 1e-15;
    const double *a = came->stat, *b = gives->stat;
    bool told = came->known & gives->known & 1 << STAT_NORM && a[STAT_NORM] > least;
    return told && format_of(came) == PRECISION_F32 && format_of(gives) == PRECISION_F32 &&
           b[STAT_NORM] > slope * a[STAT_NORM] * (1 + slack);
}

static void look_slope(Looking *of, const Op *op, const Op *forward, unsigned curve)
{
    TensorSeen came, gives;
    double low, high, limit;
    bool sums = curve == OP_DISTANCE;
    if (!ends_of(of, op, GROUP_INPUT, &came) || !ends_of(of, op, GROUP_OUTPUT, &gives) ||
        (!sums && came.elements != gives.elements) ||
        !slopes_of(of, forward, curve, &gives, &low, &high) ||
        (limit = limit_of(&came, &gives)) == 0)
        return;
    const double *in = came.stat, *out = gives.stat;
    double top = larger(0, larger(high * in[STAT_MAX], low * in[STAT_MIN]));
    double bottom = larger(0, larger(-high * in[STAT_MIN], -low * in[STAT_MAX]));
    double least = least_of(&gives), most = larger(top, bottom);
    bool ends =
        out[STAT_MAX] > top * (1 + limit) + least || -out[STAT_MIN] > bottom * (1 + limit) + least;
    of->out->local[LOCAL_SLOPE].checked++;
    if (ends)
        look_break(of, LOCAL_SLOPE, look_name(of, op),
                   tr("its gradient goes from %.9g to %.9g; by its slope no further than "
                      "from %.9g to %.9g"),
                   out[STAT_MIN], out[STAT_MAX], -bottom, top);
    else if (most > 0 && !sums && norm_is_long(&came, &gives, larger(high, -low)))
        look_break(of, LOCAL_SLOPE, look_name(of, op),
                   tr("Norm of its gradient is %.9g, from %.9g; its slope is %.5g at most"),
                   out[STAT_NORM], in[STAT_NORM], larger(high, -low));
}

// ---- results of 16 bits

// A float32 whose last 13 bits are 0, as those of a bfloat16 and of a float16.
static bool is_short(double value)
{
    if (!(fabs(value) <= FLT_MAX))
        return false;
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits & 0x1FFF) == 0;
}

// Whether what it works on is float32 and holds more than 16 bits, as far as Max and Min tell. No
// end of what goes into a curve may be 0, which is short.
static bool works_on_long(const Looking *of, const Op *op, bool product)
{
    size_t told = 0;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        TensorSeen seen;
        bool taken = slot_place_group(slot) == GROUP_INPUT || slot->group == GROUP_PARAMETERS;
        if (!taken || slot->kind != SLOT_TENSOR)
            continue;
        look_read(of, slot, &seen);
        if (format_of(&seen) != PRECISION_F32 || !tensor_seen_has_ends(&seen) ||
            tensor_seen_rounded(&seen))
            return false;
        // Masks, and rows of a softmax with one number alone, leave a product as long as it is.
        for (int end = STAT_MAX; end <= STAT_MIN; end++) {
            bool neutral = product && (seen.stat[end] == 0 || seen.stat[end] == 1);
            if (!neutral && is_short(seen.stat[end]))
                return false;
            told += !neutral;
        }
    }
    return told > 0;
}

// Whether its ends are no numbers that a right result may have: 0 and 1 are ends of curves, and one
// number may by chance be short, once in 8192.
static bool ends_tell(const TensorSeen *seen, bool product)
{
    static const double least = 1e-30;
    double a = fabs(seen->stat[STAT_MAX]), b = fabs(seen->stat[STAT_MIN]);
    return format_of(seen) == PRECISION_F32 && tensor_seen_has_ends(seen) &&
           tensor_seen_finite(seen) && !tensor_seen_rounded(seen) && a > least && b > least &&
           (product || (a != 1 && b != 1)) && a != b;
}

// The gradient of a bias in front of a norm is nothing but rounding of sums that cancel: whole
// multiples of their steps, which are short.
static void look_rounded(Looking *of, const Op *op, const Op *forward, bool product)
{
    if (!works_on_long(of, op, product) || !forward || !works_on_long(of, forward, product))
        return;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        TensorSeen seen;
        if (!slot_is_output_tensor(slot))
            continue;
        look_read(of, slot, &seen);
        bool bias = product && str_find_char(seen.shape, ',', 0) == SIZE_MAX;
        if (bias || !ends_tell(&seen, product))
            continue;
        of->out->local[LOCAL_ROUNDED].checked++;
        if (!is_short(seen.stat[STAT_MAX]) || !is_short(seen.stat[STAT_MIN]))
            continue;
        look_break(of, LOCAL_ROUNDED, look_name(of, op),
                   tr("Max %.9g and Min %.9g of " STR_FMT
                      " are 16-bit numbers, and those of its inputs are not"),
                   seen.stat[STAT_MAX], seen.stat[STAT_MIN],
                   STR_ARG(names_text(of->dump->names, slot->path)));
        return;
    }
}

void witness_curves(Looking *of)
{
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        unsigned traits = of->traits[i], curve = traits & OP_CURVE;
        Str is = of->names[i].type_name;
        bool product = op->kind == OP_MODULE
                           ? STR_IN(is, "Linear", "Conv1d", "Conv2d", "Conv3d")
                           : op->kind == OP_API && traits & (OP_MATMUL | OP_CONVOLVES);
        if ((op->kind != OP_API && op->kind != OP_MODULE) || (curve == 0 && !product) ||
            op->direction == DIR_NONE || op_is_in_place(is))
            continue;
        const Op *forward = op->direction == DIR_FORWARD ? op : look_forward(of, op);
        if (curve && op->direction == DIR_FORWARD)
            look_curve(of, op, curve);
        else if (curve)
            look_slope(of, op, forward, curve);
        if (curve != OP_DISTANCE)
            look_rounded(of, op, forward, product);
    }
}
