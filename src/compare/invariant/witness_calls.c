// SPDX-License-Identifier: Apache-2.0
// What single calls of one dump must do.
#include "compare/invariant/witness_look.h"

#include <float.h>
#include <math.h>

#include "base/array.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/words.h"

// ---- dropout

// Whether it drops anything, as its arguments tell. TRI_ABSENT: they do not, or so little that it
// may drop nothing.
static Tristate drops(const Looking *of, const Op *op)
{
    static const double least = 0.01;
    const Slot *rate = look_argument(of, op, "input.p", "input.1");
    Str training = look_value(of, look_argument(of, op, "input.training", "input.2"));
    double p = NAN;
    if (rate)
        (void)number_of_text(look_value(of, rate), &p);
    if (str_equal(training, STR("False")) || p == 0)
        return TRI_FALSE;
    return str_equal(training, STR("True")) && p >= least ? TRI_TRUE : TRI_ABSENT;
}

static void look_dropout(Looking *of, const Op *op)
{
    enum { ELEMENTS_FROM = 1024 };  // 1 in 100 of which is nearly sure to be dropped
    TensorSeen input, output;
    Tristate on;
    if (!look_tensor(of, op, "input.0", &input) || !look_tensor(of, op, "output.0", &output) ||
        str_equal(look_value(of, look_argument(of, op, "input.inplace", "input.3")), STR("True")) ||
        !tensor_seen_rich(&input) || (on = drops(of, op)) == TRI_ABSENT ||
        (on == TRI_TRUE && input.elements < ELEMENTS_FROM))
        return;
    SeenMatch match = tensor_seen_match(&input, &output, 0);
    if (match == SEEN_UNKNOWN)
        return;
    of->out->local[LOCAL_DROPOUT].checked++;
    if ((match == SEEN_EQUAL) == (on == TRI_TRUE))
        look_break(of, LOCAL_DROPOUT, look_name(of, op), "%s",
                   on == TRI_TRUE ? tr("is set to drop elements, and drops none")
                                  : tr("is set to drop nothing, and changes its input"));
}

// ---- tokens and targets

static bool is_integers(const TensorSeen *seen)
{
    return str_find(seen->dtype, STR("nt"), 0) != SIZE_MAX && seen->elements > 1 &&
           !tensor_seen_nan(seen);
}

// A loss of the tokens themselves teaches to repeat them. Statistics do not tell them from tokens
// that were rolled by one; checksums do.
static void look_labels(Looking *of, const Op *op, unsigned traits, TensorSeen *tokens)
{
    TensorSeen seen;
    bool loss = traits & OP_LOSS;
    bool first = tokens->elements == 0 && traits & OP_EMBEDS;
    if (first && look_tensor(of, op, "input.0", &seen) && is_integers(&seen))
        *tokens = seen;
    if (!loss || tokens->elements == 0 || !look_tensor(of, op, "input.1", &seen) ||
        !is_integers(&seen) || seen.elements != tokens->elements ||
        seen.checksum.size != tokens->checksum.size || seen.checksum.size == 0)
        return;
    of->out->local[LOCAL_LABELS].checked++;
    if (str_equal_nocase(seen.checksum, tokens->checksum))
        look_break(of, LOCAL_LABELS, look_name(of, op),
                   tr("its targets are the tokens that went into the embedding, not the "
                      "next ones"));
}

// ---- gradients of biases

typedef struct Bias {
    TensorSeen arrived;  // the gradient of what the module gave, in its first backward call
    uint32_t calls;
} Bias;

typedef struct Biases {
    Names *paths;
    Bias *items;  // by name of the module's path
    size_t count;
} Biases;

// A writer that does not number calls gives all of a module under one name, in their order.
static uint32_t count_slots(const Looking *of, const Op *op, const char *path)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->slot_count; i++)
        count += str_equal(names_text(of->dump->names, of->dump->slots[op->first_slot + i].path),
                           str_of(path));
    return count;
}

static void note_backward(Looking *of, const Op *op, Biases *all)
{
    TensorSeen seen;
    const OpName *name = &of->names[look_index(of, op)];
    if (op->kind != OP_MODULE || !str_equal(name->type_name, STR("Linear")))
        return;
    NameId key = names_add(all->paths, name->path);
    Bias *bias = &ARRAY_REACH(of->scratch, all->items, all->count, key)[key];
    uint32_t count = count_slots(of, op, "input.0");
    if (bias->calls == 0 && look_tensor(of, op, "input.0", &seen) && sums_told(&seen))
        bias->arrived = seen;
    bias->calls += count ? count : 1;
}

// Of the last of several gradients under one name; NaN: it is not told.
static double last_sum(const Looking *of, const Op *op, const char *path)
{
    TensorSeen seen;
    double sum = NAN;
    for (uint32_t i = 0; i < op->slot_count; i++) {
        const Slot *slot = &of->dump->slots[op->first_slot + i];
        if (!str_equal(names_text(of->dump->names, slot->path), str_of(path)))
            continue;
        look_read(of, slot, &seen);
        sum = sums_told(&seen) ? sum_of(&seen) : NAN;
    }
    return sum;
}

// The sum of the bias's gradient is the sum of all that arrived, but for rounding. Of a module with
// several backward calls it is not told which of them a gradient is of, unless each came by itself.
static void look_bias(Looking *of, const Op *op, const Biases *all)
{
    TensorSeen seen;
    NameId key = names_find(all->paths, of->names[look_index(of, op)].path);
    const Slot *slot = look_slot(of, op, "bias");
    if (!slot || slot->kind != SLOT_TENSOR || !key || key >= all->count)
        return;
    const Bias *bias = &all->items[key];
    look_read(of, slot, &seen);
    if (bias->calls != count_slots(of, op, "bias") || bias->arrived.elements == 0 ||
        !sums_told(&seen) || bias->arrived.elements % seen.elements)
        return;
    Str path = str_concat(of->scratch, of->names[look_index(of, op)].path, STR(".bias"));
    ParameterSeen *it = (ParameterSeen *)witness_parameter(of->out, path);
    if (it)
        it->bias = (BiasSeen){.told = true,
                              .found = sum_of(&seen),
                              .due = sum_of(&bias->arrived),
                              .left = last_sum(of, op, "bias"),
                              .slack = sum_slack(&seen) + sum_slack(&bias->arrived)};
}

// ---- scaled gradients

// Gradients times one number, in place, after the backward: clipping, by a tensor, and what takes
// the scale of a loss away, by a number. Activations of a recomputed forward need gradients
// themselves.
typedef struct Clip {
    uint32_t op;
    bool number;         // the factor is no tensor
    uint32_t parameter;  // of which it is the gradient as it arrived, from 1; 0: of none
    double factor, found;
    double slack;  // relative
} Clip;

typedef struct Clips {
    Clip *items;
    size_t count, capacity;
    GradientIndex gradients;
    double *factors;  // by parameter: what its gradient was scaled by; 0: it was not
    size_t scaled;
} Clips;

static double blur_share(const TensorSeen *seen, Stat stat)
{
    double value = fabs(seen->stat[stat]);
    return value > 0 ? tensor_seen_blur(seen, stat) / value : 0;
}

static Clips clips_new(const Looking *of)
{
    return (Clips){.gradients = gradients_index(of->out, of->scratch),
                   .factors = ARENA_ARRAY(of->scratch, double, of->out->parameter_count + 1)};
}

static bool factor_of(const Looking *of, const Op *op, Clip *out, double *blur)
{
    TensorSeen factor;
    *blur = 0;
    out->number = !look_tensor(of, op, "input.1", &factor);
    if (out->number)
        return number_of_text(look_value(of, look_argument(of, op, "input.other", "input.1")),
                              &out->factor) &&
               isfinite(out->factor) && out->factor != 0;
    out->factor = factor.stat[STAT_MAX];
    *blur = blur_share(&factor, STAT_MAX);
    return str_equal(factor.shape, STR("[]")) && tensor_seen_is_float(&factor) &&
           tensor_seen_has_ends(&factor) && !tensor_seen_nan(&factor);
}

static void note_clip(Looking *of, uint32_t index, Clips *all)
{
    static const double factor_slack = 1e-4;  // of norms that are added up in another order
    TensorSeen input, output;
    Clip it = {.op = index};
    double blur;
    const Op *op = &of->dump->ops[index];
    if (op->kind != OP_API || !str_equal(of->names[index].type_name, STR("mul_")) ||
        !look_tensor(of, op, "input.0", &input) ||
        look_slot(of, op, "input.0")->requires_grad == TRI_TRUE ||
        !look_tensor(of, op, "output.0", &output) || !factor_of(of, op, &it, &blur) ||
        !sums_told(&input) || !sums_told(&output) || input.stat[STAT_NORM] == 0)
        return;
    it.found = output.stat[STAT_NORM] / input.stat[STAT_NORM];
    it.slack = factor_slack + blur +
               2 * fmax(fmax(tensor_seen_step(&input), tensor_seen_step(&output)),
                        8 * (double)FLT_EPSILON) +
               blur_share(&input, STAT_NORM) + blur_share(&output, STAT_NORM);
    it.parameter = gradients_find(&all->gradients, &input);
    while (it.parameter && all->factors[it.parameter - 1] != 0 &&
           all->gradients.next[it.parameter - 1])
        it.parameter = all->gradients.next[it.parameter - 1];
    if (it.parameter && all->factors[it.parameter - 1] == 0) {
        all->scaled++;
        all->factors[it.parameter - 1] = it.factor;
    }
    // Numbers scale much: of what is no gradient nothing is known.
    if (!it.number || it.parameter)
        *ARRAY_PUSH(of->scratch, all) = it;
}

// The factor that more than half have; NaN: none. Of such the middle one is one.
static double usual_factor(const Looking *of, const Clip *items, size_t count)
{
    double *sorted = ARENA_ARRAY(of->scratch, double, count);
    size_t equal = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = items[i].factor;
    sort_doubles(sorted, count);
    double middle = sorted[count / 2];
    for (size_t i = 0; i < count; i++)
        equal += sorted[i] == middle;
    return 2 * equal > count ? middle : (double)NAN;
}

// Calls that follow each other. `last`: no further call follows. What is scaled up before one are
// activations.
static void judge_run(Looking *of, const Clip *items, size_t count, bool last)
{
    enum { CLIPS_FROM = 2 };
    double usual = count < CLIPS_FROM ? (double)NAN : usual_factor(of, items, count);
    if (isnan(usual) || (!last && usual > 1))
        return;
    for (const Clip *it = items; it < items + count; it++) {
        Str op = look_name(of, &of->dump->ops[it->op]), text = {0};
        of->out->local[LOCAL_CLIPPING].checked++;
        if (it->factor != usual)
            text = str_printf(of->scratch, tr("scaled by %.6g, other gradients by %.6g"),
                              it->factor, usual);
        else if (fabs(it->found - it->factor) > it->slack * fabs(it->factor))
            text = str_printf(of->scratch,
                              tr("its Norm became %.6g of what it was, by a factor of %.6g"),
                              it->found, it->factor);
        else if (it->factor > 1 && !it->number)
            text = str_printf(of->scratch, tr("scaled up by %.6g: clipping only scales down"),
                              it->factor);
        if (text.size)
            look_break(of, LOCAL_CLIPPING, op, STR_FMT, STR_ARG(text));
    }
}

static void judge_clips(Looking *of, Clips *all, bool last)
{
    for (size_t from = 0, end; from < all->count; from = end) {
        end = from + 1;
        while (end < all->count && all->items[end].op == all->items[end - 1].op + 1 &&
               all->items[end].number == all->items[from].number)
            end++;
        judge_run(of, &all->items[from], end - from, last);
    }
    all->count = 0;
}

// Weights of other parts of a model may be left out; one of several layers is forgotten. The
// factor of one that is not scaled is 0.
static void judge_layers(Looking *of, const Clips *layers)
{
    enum { AGREE_FROM = 2 };
    double usual = layers->count ? usual_factor(of, layers->items, layers->count) : 0;
    size_t agree = 0;
    for (size_t i = 0; i < layers->count; i++)
        agree += layers->items[i].factor == usual;
    for (size_t i = 0; usual != 0 && agree >= AGREE_FROM && i < layers->count; i++) {
        double factor = layers->items[i].factor;
        if (factor == usual)
            continue;
        of->out->local[LOCAL_CLIPPING].checked++;
        Str label = parameter_label(&of->out->parameters[layers->items[i].parameter - 1]);
        if (factor == 0)
            look_break(of, LOCAL_CLIPPING, label,
                       tr("its gradient is not scaled, those of %zu siblings are, by %.6g"), agree,
                       usual);
        else
            look_break(of, LOCAL_CLIPPING, label,
                       tr("its gradient is scaled by %.6g, those of %zu siblings by %.6g"), factor,
                       agree, usual);
    }
}

// The factor of all that are scaled, where it is that of a loss, which scalers multiply by a power
// of two; else 0.
static double loss_scale(const Looking *of, const Clips *all)
{
    static const double most = 1.0 / 128;
    double out = 0;
    int power;
    for (size_t i = 0; i < of->out->parameter_count; i++) {
        double factor = all->factors[i];
        if (factor != 0 && out != 0 && factor != out)
            return 0;
        out = factor != 0 ? factor : out;
    }
    return out > 0 && out <= most && 2 * frexp(out, &power) == 1 ? out : 0;
}

// Siblings are weights whose names differ in their numbers alone, those of layers. Of a loss that
// was scaled, no gradient may keep its scale.
static void judge_unscaled(Looking *of, const Clips *all)
{
    enum { SCALED_FROM = 4 };
    size_t gradients = 0, known = 0;
    Names *names = names_new(of->scratch);
    Clips *layers = NULL;
    double scale = all->scaled < SCALED_FROM ? 0 : loss_scale(of, all);
    for (size_t i = 0; i < of->out->parameter_count; i++) {
        const ParameterSeen *it = &of->out->parameters[i];
        if (!gradient_is_one(it))
            continue;
        NameId id = scale > 0 ? 1 : names_add(names, witness_without_digits(it->name, of->scratch));
        *ARRAY_PUSH(of->scratch, &ARRAY_REACH(of->scratch, layers, known, id)[id]) =
            (Clip){.parameter = (uint32_t)i + 1, .factor = all->factors[i]};
        gradients++;
    }
    for (size_t i = 0; 2 * all->scaled > gradients && i < known; i++)
        judge_layers(of, &layers[i]);
}

void witness_calls(Looking *of)
{
    Biases biases = {.paths = names_new(of->scratch)};
    Clips clips = clips_new(of);
    TensorSeen tokens = {0};
    bool backward = false, behind = false;
    for (uint32_t i = 0; i < of->dump->op_count; i++) {
        const Op *op = &of->dump->ops[i];
        if (op->kind == OP_GRADS)
            continue;
        // What is scaled between a forward and a further call is an activation.
        if (op->direction == DIR_BACKWARD || look_begins_forward(of, op)) {
            if (behind)
                judge_clips(of, &clips, false);
            clips.count = 0;
            behind = op->direction == DIR_BACKWARD;
        }
        if (op->direction == DIR_BACKWARD) {
            backward = true;
            note_backward(of, op, &biases);
        } else if (op->direction == DIR_FORWARD) {
            if (op->kind == OP_API && str_equal(of->names[i].type_name, STR("dropout")))
                look_dropout(of, op);
            if (of->traits[i] & (OP_LOSS | OP_EMBEDS))
                look_labels(of, op, of->traits[i], &tokens);
            if (backward)
                note_clip(of, i, &clips);
        }
    }
    for (uint32_t i = 0; i < of->dump->op_count; i++)
        if (of->dump->ops[i].kind == OP_GRADS)
            look_bias(of, &of->dump->ops[i], &biases);
    judge_clips(of, &clips, true);
    judge_unscaled(of, &clips);
}
