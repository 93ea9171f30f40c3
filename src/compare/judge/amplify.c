// SPDX-License-Identifier: Apache-2.0
// How far the rounding errors of a value exceed its own size:
//
//     factor(result) = max(factor of its inputs, |what was summed| · their factor / |result|)
//
// What was summed, as numbers of random sign add up: of a sum its largest term; of a product of
// matrices rms(A) · rms(B) · √(k · elements), k terms each, and of its gradients |G| · rms(B) · √k;
// of a gradient that sums over axes |G|. A gradient that no result holds is the sum of several: of
// the largest result of its shape that waits for one.
#include "compare/judge/amplify.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// The share of a gradient's own size that the rounding of one op leaves where it sums nothing up.
#define ROUNDED_SHARE 0.25

// Among so many results before it the one is that an input is the cast of.
enum { RECENT = 16 };

typedef struct Amplifier {
    const Flow *flow;
    const Dump *dump;
    const uint64_t *elements;  // by NameId of a shape
    unsigned traits;           // of the op at work (OpTrait)
    float *factors;
    uint32_t *known;          // by first slot of a value: the last result, or sum of results, + 1
    uint32_t *waiting;        // by the NameId of the shape: a gradient that no op has taken, + 1
    uint32_t *next;           // by slot of such a gradient: another one of its shape, + 1
    uint32_t recent[RECENT];  // the last results of backward calls
    uint32_t recent_count;
    Names *modules;       // that have backward calls
    uint32_t *gradients;  // by their NameId: the largest gradient that these calls take, + 1
    uint32_t *taken;      // and the tensor that their forward calls take
    Names *calls;         // forward calls of products: "Functional.linear#3"
    uint32_t *call_ops;   // by their NameId
    Arena *scratch;
} Amplifier;

static double norm_of(const Slot *slot)
{
    double norm;
    bool told = slot->kind == SLOT_TENSOR && slot_stat(slot, STAT_NORM, &norm) && isfinite(norm);
    return told ? fabs(norm) : 0;
}

static double elements_of(const Amplifier *amplifier, const Slot *slot)
{
    return (double)amplifier->elements[slot->shape];
}

static bool gives_gradients(const Op *op)
{
    return op->direction == DIR_BACKWARD || op->kind == OP_GRADS;
}

static bool is_result(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS;
}

static uint32_t *known_of(const Amplifier *amplifier, uint32_t slot)
{
    return &amplifier->known[amplifier->flow->same[slot]];
}

typedef struct Inputs {
    double largest_norm;    // of all tensors of the op
    double largest_factor;  // over its inputs
    double largest_scale;   // over its inputs: factor * norm
    uint32_t first;         // tensor among them, + 1; 0: none
    bool one_sign;          // no input has elements of both signs: nothing cancels
} Inputs;

// Whether a tensor is the other in another type: its norm and its ends are, to a rounding.
static bool is_cast(const Slot *slot, const Slot *other)
{
    static const Stat stats[] = {STAT_NORM, STAT_MAX, STAT_MIN};
    for (int i = 0; i < 3; i++) {
        double a, b;
        if (!slot_stat(slot, stats[i], &a) || !slot_stat(other, stats[i], &b) ||
            !(fabs(a - b) <= 0.5 * epsilon_of(PRECISION_BF16) * fmax(fabs(a), fabs(b))))
            return false;
    }
    return slot->dtype != other->dtype;
}

static void stop_waiting(const Amplifier *amplifier, uint32_t slot)
{
    uint32_t *at = &amplifier->waiting[amplifier->dump->slots[slot].shape];
    while (*at && *at != slot + 1)
        at = &amplifier->next[*at - 1];
    *at = *at ? amplifier->next[slot] : 0;
}

// The result before it of which a gradient is a cast, or SLOT_NONE.
static uint32_t cast_of(const Amplifier *amplifier, const Slot *slot)
{
    uint32_t count = amplifier->recent_count;
    for (uint32_t i = count; i-- > 0 && count - i <= RECENT;)
        if (is_cast(slot, &amplifier->dump->slots[amplifier->recent[i % RECENT]]))
            return amplifier->recent[i % RECENT];
    return SLOT_NONE;
}

// The factor of the last gradient that a call gave.
static double latest_factor(const Amplifier *amplifier)
{
    uint32_t count = amplifier->recent_count;
    return count ? (double)amplifier->factors[amplifier->recent[(count - 1) % RECENT]] : 1;
}

// The factor of a gradient that no recorded op gave: that of the result before it of which it is a
// cast; of a sum that of its largest term; else that of the last one, which it was cut out or put
// together of.
static double unknown_factor(const Amplifier *amplifier, const Slot *slot, double norm)
{
    uint32_t cast = cast_of(amplifier, slot), *waiting = &amplifier->waiting[slot->shape];
    double scale = 0;
    if (cast != SLOT_NONE) {
        stop_waiting(amplifier, cast);
        return (double)amplifier->factors[cast];
    }
    if (!*waiting)
        return latest_factor(amplifier);
    for (uint32_t at = *waiting; at; at = amplifier->next[at - 1])
        scale = fmax(scale,
                     (double)amplifier->factors[at - 1] * norm_of(&amplifier->dump->slots[at - 1]));
    *waiting = 0;
    return fmax(1, scale / norm);
}

static double input_factor(Amplifier *amplifier, const Op *op, uint32_t index, double norm)
{
    uint32_t *known = known_of(amplifier, index);
    if (*known) {
        if (op->direction == DIR_BACKWARD)
            stop_waiting(amplifier, *known - 1);
        return (double)amplifier->factors[*known - 1];
    }
    if (op->direction != DIR_BACKWARD)
        return 1;
    *known = index + 1;
    return unknown_factor(amplifier, &amplifier->dump->slots[index], norm);
}

static bool has_both_signs(const Slot *slot)
{
    double largest, smallest;
    return !slot_stat(slot, STAT_MAX, &largest) || !slot_stat(slot, STAT_MIN, &smallest) ||
           (largest > 0 && smallest < 0);
}

static Inputs look_at_inputs(Amplifier *amplifier, const Op *op)
{
    Inputs out = {.largest_factor = 1, .one_sign = true};
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        out.largest_norm = fmax(out.largest_norm, norm);
        if (is_result(slot) || norm == 0)
            continue;
        double factor = input_factor(amplifier, op, i, norm);
        amplifier->factors[i] = (float)factor;
        out.largest_factor = fmax(out.largest_factor, factor);
        out.largest_scale = fmax(out.largest_scale, factor * norm);
        out.first = out.first ? out.first : i + 1;
        out.one_sign = out.one_sign && !has_both_signs(slot);
    }
    return out;
}

static Str module_of(const Dump *dump, const Op *op)
{
    return op_name_call(dump->names, op->name).stem;
}

// "Functional.linear.0", without the direction.
static Str call_key(const Amplifier *amplifier, const Op *op)
{
    const Names *names = amplifier->dump->names;
    Str name = names_text(names, op->name);
    if (!names_note(names, op->name))
        return str_slice(name, 0, str_rfind_char(name, '.'));
    return str_printf(amplifier->scratch, STR_FMT "#%d", STR_ARG(op_name_of(names, op->name).stem),
                      (int)op->call);
}

static void look_at_calls(Amplifier *amplifier)
{
    const Dump *dump = amplifier->dump;
    amplifier->modules = names_new(amplifier->scratch);
    amplifier->calls = names_new(amplifier->scratch);
    amplifier->gradients = ARENA_ARRAY(amplifier->scratch, uint32_t, (size_t)dump->op_count + 1);
    amplifier->taken = ARENA_ARRAY(amplifier->scratch, uint32_t, (size_t)dump->op_count + 1);
    amplifier->call_ops = ARENA_ARRAY(amplifier->scratch, uint32_t, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op->kind == OP_API && amplifier->flow->traits[i] & OP_MATMUL)
            amplifier->call_ops[names_add(amplifier->calls, call_key(amplifier, op))] = i;
        if (op->kind != OP_MODULE || op->direction == DIR_NONE)
            continue;
        NameId module = names_add(amplifier->modules, module_of(dump, op));
        uint32_t *most = op->direction == DIR_BACKWARD ? &amplifier->gradients[module]
                                                       : &amplifier->taken[module];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (slot_place_group(&dump->slots[k]) == GROUP_INPUT &&
                norm_of(&dump->slots[k]) > (*most ? norm_of(&dump->slots[*most - 1]) : 0))
                *most = k + 1;
    }
}

bool amplify_additive(Str api)
{
    return op_traits(api) & OP_SUMS;
}

// Of how many numbers an element of the result is the mean.
static double averaged(const Amplifier *amplifier, const Inputs *inputs, const Slot *result)
{
    if (!inputs->first)
        return 1;
    double all = elements_of(amplifier, &amplifier->dump->slots[inputs->first - 1]);
    double given = elements_of(amplifier, result);
    return given > 0 ? fmax(1, all / given) : 1;
}

// The axis before the end of a shape: 0 the last; 1 without one.
static double axis_of(const Dump *dump, const Slot *slot, int before)
{
    uint64_t size;
    Str shape = names_text(dump->names, slot->shape);
    Str axes = str_slice(shape, 1, shape.size - 1);
    for (; before > 0 && shape.size > 2; before--) {
        size_t comma = str_rfind_char(axes, ',');
        axes = str_slice(axes, 0, comma == SIZE_MAX ? 0 : comma);
    }
    size_t comma = str_rfind_char(axes, ',');
    Str axis = comma == SIZE_MAX ? axes : str_slice(axes, comma + 2, axes.size);
    return shape.size > 2 && str_to_uint64(axis, &size) && size > 0 ? (double)size : 1;
}

// The first two tensors that a product takes; 1 terms: it is none.
typedef struct Product {
    const Slot *factors[2];
    double terms;  // in each sum: the last axis of the first
} Product;

static Product product_of(const Dump *dump, const Op *op)
{
    Product out = {.terms = 1};
    uint32_t count = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count && count < 2; i++)
        if (!is_result(&dump->slots[i]) && norm_of(&dump->slots[i]) > 0)
            out.factors[count++] = &dump->slots[i];
    if (count < 2)
        return (Product){.terms = 1};
    out.terms = axis_of(dump, out.factors[0], 0);
    bool fits = axis_of(dump, out.factors[1], 0) == out.terms ||
                axis_of(dump, out.factors[1], 1) == out.terms;
    return fits && out.terms > 1 ? out : (Product){.terms = 1};
}

static double rms_of(const Amplifier *amplifier, const Slot *slot)
{
    return norm_of(slot) / sqrt(fmax(1, elements_of(amplifier, slot)));
}

// How large the products are that each element of the result is the sum of, as they add up where
// their signs are random. The gradient of one factor is a sum over the other.
static double scale_of_products(const Amplifier *amplifier, const Op *op, const Slot *result,
                                double gradient)
{
    const Dump *dump = amplifier->dump;
    if (op->kind != OP_API)
        return 0;
    if (op->direction == DIR_FORWARD) {
        Product product = product_of(dump, op);
        return product.factors[0] && amplifier->traits & OP_MATMUL
                   ? rms_of(amplifier, product.factors[0]) * rms_of(amplifier, product.factors[1]) *
                         sqrt(product.terms * elements_of(amplifier, result))
                   : 0;
    }
    NameId call = names_find(amplifier->calls, call_key(amplifier, op));
    if (call == NAME_NONE)
        return 0;
    Product product = product_of(dump, &dump->ops[amplifier->call_ops[call]]);
    double other = 0, elements = elements_of(amplifier, result);
    for (int i = 0; i < 2 && product.factors[0]; i++)
        if (elements_of(amplifier, product.factors[i]) == elements)
            other = fmax(other, rms_of(amplifier, product.factors[1 - i]));
    return gradient * other * sqrt(product.terms);
}

// How large the terms are that a gradient is the sum of: of a weight in two axes products of what
// its module takes and of the gradient that it gets, of others these gradients themselves.
static double scale_of_gradient(const Amplifier *amplifier, const Op *op, const Inputs *inputs,
                                const Slot *result)
{
    const Dump *dump = amplifier->dump;
    uint32_t gradient = inputs->first, taken = 0;
    if (op->kind == OP_GRADS) {
        NameId module = names_find(amplifier->modules, module_of(dump, op));
        gradient = module == NAME_NONE ? 0 : amplifier->gradients[module];
        taken = module == NAME_NONE ? 0 : amplifier->taken[module];
    }
    if (!gradient)
        return ROUNDED_SHARE * inputs->largest_norm;
    const Slot *got = &dump->slots[gradient - 1];
    bool sums = elements_of(amplifier, result) < elements_of(amplifier, got);
    double summed = (sums ? 1 : ROUNDED_SHARE) * fmax(norm_of(got), inputs->largest_norm);
    if (op->kind != OP_GRADS)
        return fmax(summed, scale_of_products(amplifier, op, result, norm_of(got)));
    bool matrix = str_rfind_char(names_text(dump->names, result->shape), ',') != SIZE_MAX;
    return !taken || !matrix ? summed
                             : norm_of(got) * rms_of(amplifier, &dump->slots[taken - 1]) *
                                   sqrt(axis_of(dump, &dump->slots[taken - 1], 0));
}

static double factor_of(const Amplifier *amplifier, const Op *op, const Inputs *inputs,
                        uint32_t index)
{
    const Slot *result = &amplifier->dump->slots[index];
    double norm = norm_of(result);
    if (gives_gradients(op))
        return fmax(inputs->largest_factor,
                    scale_of_gradient(amplifier, op, inputs, result) / norm);
    if (amplifier->traits & OP_SUMS && !(inputs->one_sign && amplifier->traits & OP_REDUCES))
        return inputs->largest_scale / norm;
    if (amplifier->traits & OP_REDUCES && !inputs->one_sign)
        return inputs->largest_scale / averaged(amplifier, inputs, result) / norm;
    return fmax(inputs->largest_factor, scale_of_products(amplifier, op, result, 0) / norm);
}

static void amplify_op(Amplifier *amplifier, const Op *op)
{
    amplifier->traits = amplifier->flow->traits[op - amplifier->dump->ops];
    Inputs inputs = look_at_inputs(amplifier, op);
    if (op->kind == OP_GRADS)
        inputs.largest_factor = latest_factor(amplifier);
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        // A number that was computed carries what the tensors next to it carry.
        if (slot->kind == SLOT_SCALAR)
            amplifier->factors[i] = (float)inputs.largest_factor;
        if (!is_result(slot) || norm == 0)
            continue;
        uint32_t *known = known_of(amplifier, i);
        double factor = fmax(1, factor_of(amplifier, op, &inputs, i));
        // Gradients appear again as an entry of their own, without the op that made them.
        if (op->kind == OP_GRADS && *known)
            factor = fmax(factor, (double)amplifier->factors[*known - 1]);
        amplifier->factors[i] = (float)factor;
        if (op->direction == DIR_BACKWARD && (op->kind == OP_API || !*known)) {
            amplifier->next[i] = amplifier->waiting[slot->shape];
            amplifier->waiting[slot->shape] = i + 1;
            amplifier->recent[amplifier->recent_count++ % RECENT] = i;
        }
        *known = i + 1;
    }
}

float *amplify_find(const Flow *flow, const uint64_t *elements, RuleSet without, Arena *arena)
{
    const Dump *dump = flow->dump;
    Arena *scratch = arena_new();
    Amplifier amplifier = {.flow = flow,
                           .dump = dump,
                           .elements = elements,
                           .factors = ARENA_ARRAY(arena, float, (size_t)dump->slot_count + 1),
                           .known = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->slot_count + 1),
                           .waiting = ARENA_ARRAY(scratch, uint32_t, names_count(dump->names) + 1),
                           .next = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->slot_count + 1),
                           .scratch = scratch};
    look_at_calls(&amplifier);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        amplifier.factors[i] = 1;
    for (uint32_t i = 0; i < dump->op_count && rule_on(without, RULE_CANCELS); i++)
        amplify_op(&amplifier, &dump->ops[i]);
    arena_release(scratch);
    return amplifier.factors;
}

double amplify_own(const Dump *dump, const Op *op, const Slot *output)
{
    double largest = 0, norm = norm_of(output);
    Str name = op_name_of(dump->names, op->name).type_name;
    bool sums = gives_gradients(op) || str_equal(name, STR("sum")) || str_equal(name, STR("mean"));
    if (!sums || norm == 0)
        return 1;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        largest = fmax(largest, norm_of(&dump->slots[i]));
    return fmax(1, ROUNDED_SHARE * largest / norm);
}
