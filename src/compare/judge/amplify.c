// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/amplify.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// The share of the largest tensor's norm that cancellation can leave as error, in units of the
// floor.
#define CANCELLATION_SHARE 0.25

// Powers raise relative errors by no more in all: behind a norm or a sum of many they average out.
#define LARGEST_POWER 4

// Between the modules of a dump without calls of APIs there may be gates that nobody sees.
#define GATES_UNSEEN 2

typedef struct Known {
    uint32_t slot;   // + 1; 0: empty
    uint32_t check;  // of the hash: tells most others apart without a look at the slot
    float factor;
} Known;

// The largest result of the backward pass in a shape that no op has taken yet.
typedef struct Pending {
    uint32_t slot;  // + 1; 0: none
    double scale;   // factor * norm
} Pending;

typedef struct Amplifier {
    const Dump *dump;
    RuleSet without;
    unsigned traits;  // of the op at work (OpTrait)
    Str api;    // what the op at work is called; empty: a backward call or the gradients of weights
    bool sums;  // its result is a sum or a collection of its inputs
    float passed;  // the most gates that a gradient came through so far
    Amplified *factors;
    float *powers;     // by slot: the part of its factor that powers made; 0: 1
    float *gradients;  // by slot: the part of its factor that gradients made; 0: none is in it
    Known *table;      // by the four statistics of a slot
    size_t mask;
    Pending *pending;      // by the NameId of the shape
    Names *modules;        // that have backward calls
    double *module_norms;  // by their NameId: of the largest tensor of these calls
    uint32_t *changed;     // by result of an op in place: what it changed, + 1, if no op gave that
    uint32_t check;        // of the last one looked for
    uint32_t ahead;        // slots before this one are on their way to the cache
} Amplifier;

enum { SLOTS_AHEAD = 24 };

static double norm_of(const Slot *slot)
{
    double norm;
    bool told = slot->kind == SLOT_TENSOR && slot_stat(slot, STAT_NORM, &norm) && isfinite(norm);
    return told ? fabs(norm) : 0;
}

static bool same_statistics(const Slot *a, const Slot *b)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if (a->stat[i].natural != b->stat[i].natural)
            return false;
    return true;
}

static uint64_t hash_of(const Slot *slot)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < STAT_COUNT; i++) {
        hash ^= slot->stat[i].natural;
        hash *= 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
    }
    return hash;
}

// The table of a large dump does not fit the cache: its places are asked for before they are
// needed.
static void call_ahead(Amplifier *amplifier, const Op *op)
{
    uint32_t end = op->first_slot + op->slot_count, last = amplifier->dump->slot_count;
    end = last - end > SLOTS_AHEAD ? end + SLOTS_AHEAD : last;
    for (; amplifier->ahead < end; amplifier->ahead++) {
        const Slot *slot = &amplifier->dump->slots[amplifier->ahead];
        if (slot->kind == SLOT_TENSOR)
            __builtin_prefetch(&amplifier->table[hash_of(slot) & amplifier->mask]);
    }
}

static Known *find_known(Amplifier *amplifier, const Slot *slot)
{
    uint64_t hash = hash_of(slot);
    size_t place = hash & amplifier->mask;
    uint32_t check = (uint32_t)(hash >> 32);
    for (; amplifier->table[place].slot; place = (place + 1) & amplifier->mask) {
        const Known *known = &amplifier->table[place];
        const Slot *other = &amplifier->dump->slots[known->slot - 1];
        if (known->check == check && same_statistics(other, slot))
            break;
    }
    amplifier->check = check;
    return &amplifier->table[place];
}

static bool gives_gradients(const Op *op)
{
    return op->direction == DIR_BACKWARD || op->kind == OP_GRADS;
}

static bool is_result(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS;
}

typedef struct Inputs {
    double largest_norm;    // of all tensors of the op
    double largest_factor;  // over its inputs
    double largest_scale;   // over its inputs: factor * norm
    double factor_power;    // of the input with the largest factor
    double scale_power;     // of that with the largest scale
    uint32_t first;         // tensor among them, + 1; 0: none
    double gates;           // the most that one of them came through
    double added;           // the absolute scale of a gradient that the op adds in place
    bool one_sign;          // no input has elements of both signs: nothing cancels
} Inputs;

// Gradients that meet are added up between two calls, which no dump shows: an input that no result
// of the backward pass has the values of is their sum, and carries the errors of its largest term.
static double input_factor(Amplifier *amplifier, const Op *op, const Slot *slot, double norm)
{
    Known *known = find_known(amplifier, slot);
    Pending *pending = &amplifier->pending[slot->shape];
    uint32_t index = (uint32_t)(slot - amplifier->dump->slots);
    if (known->slot) {
        if (known->slot == pending->slot)
            *pending = (Pending){0};
        amplifier->powers[index] = amplifier->powers[known->slot - 1];
        amplifier->gradients[index] = amplifier->gradients[known->slot - 1];
        amplifier->factors[index].gates = amplifier->factors[known->slot - 1].gates;
        return (double)known->factor;
    }
    if (op->direction != DIR_BACKWARD)
        return 1;
    amplifier->factors[index].gates = amplifier->passed;
    if (pending->slot == 0)
        return 1;
    double factor = fmax(1, pending->scale / norm);
    amplifier->powers[index] = amplifier->powers[pending->slot - 1];
    amplifier->gradients[index] = (float)factor;
    *pending = (Pending){0};
    *known = (Known){.slot = index + 1, .check = amplifier->check, .factor = (float)factor};
    return factor;
}

static bool has_both_signs(const Slot *slot)
{
    double largest, smallest;
    return !slot_stat(slot, STAT_MAX, &largest) || !slot_stat(slot, STAT_MIN, &smallest) ||
           (largest > 0 && smallest < 0);
}

static Inputs look_at_inputs(Amplifier *amplifier, const Op *op)
{
    Inputs out = {.largest_factor = 1, .factor_power = 1, .scale_power = 1, .one_sign = true};
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        out.largest_norm = fmax(out.largest_norm, norm);
        if (is_result(slot) || norm == 0)
            continue;
        double factor = input_factor(amplifier, op, slot, norm);
        amplifier->factors[i].factor = (float)factor;
        double power = fmax(1, (double)amplifier->powers[i]);
        if (factor > out.largest_factor)
            out.factor_power = power;
        if (factor * norm > out.largest_scale)
            out.scale_power = power;
        out.largest_factor = fmax(out.largest_factor, factor);
        out.largest_scale = fmax(out.largest_scale, factor * norm);
        out.gates = fmax(out.gates, (double)amplifier->factors[i].gates);
        out.first = out.first ? out.first : i + 1;
        out.one_sign = out.one_sign && !has_both_signs(slot);
    }
    return out;
}

static Str module_of(const Dump *dump, const Op *op)
{
    return op_name_call(dump->names, op->name).stem;
}

static void look_at_modules(Amplifier *amplifier, Arena *scratch)
{
    const Dump *dump = amplifier->dump;
    amplifier->modules = names_new(scratch);
    amplifier->module_norms = ARENA_ARRAY(scratch, double, (size_t)dump->op_count + 1);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op->kind != OP_MODULE || op->direction != DIR_BACKWARD)
            continue;
        double *norm = &amplifier->module_norms[names_add(amplifier->modules, module_of(dump, op))];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            *norm = fmax(*norm, norm_of(&dump->slots[k]));
    }
}

// The gradients of a module's weights are in an entry of their own, before or after the backward
// calls that they were summed up from.
static double module_norm(const Amplifier *amplifier, const Op *op)
{
    NameId module = names_find(amplifier->modules, module_of(amplifier->dump, op));
    return module == NAME_NONE ? 0 : amplifier->module_norms[module];
}

bool amplify_additive(Str api)
{
    return op_traits(api) & OP_SUMS;
}

// The first two tensors that the op takes are one: both factors err alike.
static bool multiplies_itself(const Dump *dump, const Op *op)
{
    const Slot *first = NULL;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (is_result(slot) || norm_of(slot) == 0)
            continue;
        if (first)
            return first->shape == slot->shape && same_statistics(first, slot);
        first = slot;
    }
    return false;
}

// The scalar after the tensor: "pow(x, 3)", but not "pow(10000, x)".
static double exponent_of(const Dump *dump, const Op *op)
{
    bool based = false;
    double exponent;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (is_result(slot))
            continue;
        based = based || slot->kind == SLOT_TENSOR;
        if (slot->kind == SLOT_SCALAR)
            return based && slot_stat(slot, STAT_MAX, &exponent) && isfinite(exponent)
                       ? fabs(exponent)
                       : 1;
    }
    return 1;
}

// How many times the relative error of an input a result has: of x^n it is n times.
static double power_of(const Dump *dump, const Op *op, Str api, unsigned traits)
{
    if (str_equal(api, STR("square")))
        return 2;
    if (str_equal(api, STR("sqrt")) || str_equal(api, STR("rsqrt")))
        return 0.5;
    if (traits & OP_MULTIPLIES)
        return multiplies_itself(dump, op) ? 2 : 1;
    bool raises = str_equal(api, STR("pow")) || str_equal(api, STR("__pow__"));
    return raises ? exponent_of(dump, op) : 1;
}

// Of how many numbers an element of the result is the mean.
static double averaged(const Dump *dump, const Inputs *inputs, const Slot *result)
{
    if (!inputs->first)
        return 1;
    const Slot *taken = &dump->slots[inputs->first - 1];
    double all = (double)shape_elements(names_text(dump->names, taken->shape));
    double given = (double)shape_elements(names_text(dump->names, result->shape));
    return given > 0 ? fmax(1, all / given) : 1;
}

// A sum of many numbers into a few: their errors do not average out over its elements, as those of
// a norm do.
static double few_of(const Dump *dump, const Slot *result)
{
    double count = (double)shape_elements(names_text(dump->names, result->shape));
    return fmax(1, fmin(FLOOR_OF_ONE, sqrt(FLOOR_MANY / fmax(1, count))));
}

// `power`: see Amplifier.powers.
static double factor_of(const Amplifier *amplifier, const Op *op, const Inputs *inputs,
                        const Slot *result, double *power)
{
    double norm = norm_of(result);
    *power = inputs->factor_power;
    Str api = amplifier->api;
    if (gives_gradients(op)) {
        double left = CANCELLATION_SHARE * inputs->largest_norm / norm;
        return fmax(inputs->largest_factor,
                    left > 1 ? left * few_of(amplifier->dump, result) : left);
    }
    if (amplifier->sums && !(inputs->one_sign && str_equal(api, STR("sum")))) {
        *power = inputs->scale_power;
        return inputs->largest_scale / norm;
    }
    if (str_equal(api, STR("mean")) && !inputs->one_sign) {
        *power = inputs->scale_power;
        return inputs->largest_scale / averaged(amplifier->dump, inputs, result) / norm;
    }
    bool powers = rule_on(amplifier->without, RULE_POWERS);
    double raised = fmin(powers ? power_of(amplifier->dump, op, api, amplifier->traits) : 1,
                         LARGEST_POWER / *power);
    *power = fmax(1, *power * raised);
    return inputs->largest_factor * raised;
}

// The factor of a result that is a gradient, one that was scaled, or a sum with one: the errors of
// the gradient alone count, whatever the size of the weights that decay there. Else 0.
static double gradient_of(const Amplifier *amplifier, const Op *op, const Inputs *inputs,
                          double norm, double factor)
{
    if (gives_gradients(op))
        return factor;
    if (!inputs->first)
        return 0;
    double given = (double)amplifier->gradients[inputs->first - 1];
    if (!amplifier->sums)
        return given;
    double scale = given * norm_of(&amplifier->dump->slots[inputs->first - 1]);
    return fmax(scale, inputs->added) / norm;
}

// An op in place: what it changes, what it adds, and the factor of what it adds ("alpha").
typedef struct InPlace {
    uint32_t changed, added;  // slots + 1; 0: none
    double share;
} InPlace;

static InPlace look_in_place(const Dump *dump, const Op *op, Str api)
{
    InPlace out = {.share = 1};
    if (op->kind != OP_API || op->direction != DIR_FORWARD || !op_is_in_place(api))
        return out;
    bool adds =
        str_equal(api, STR("add_")) || str_equal(api, STR("sub_")) || str_equal(api, STR("lerp_"));
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        double value;
        if (is_result(slot))
            continue;
        if (slot->kind == SLOT_SCALAR && slot_stat(slot, STAT_MAX, &value))
            out.share = fabs(value);
        else if (norm_of(slot) > 0 && !out.changed)
            out.changed = i + 1;
        else if (norm_of(slot) > 0 && adds && !out.added)
            out.added = i + 1;
    }
    return out;
}

static void raise_factor(Amplifier *amplifier, uint32_t slot, double scale)
{
    double factor = scale / norm_of(&amplifier->dump->slots[slot]);
    amplifier->factors[slot].factor = fmaxf(amplifier->factors[slot].factor, (float)factor);
}

// A buffer of the optimizer is the sum of the gradients of the steps before: it errs as much as the
// one that this step adds, up to which an op may have changed it. Gives the scale
// of that, 0 if it adds none.
static double look_at_buffers(Amplifier *amplifier, const Op *op)
{
    const Dump *dump = amplifier->dump;
    InPlace call = look_in_place(dump, op, amplifier->api);
    if (!call.changed || !rule_on(amplifier->without, RULE_BUFFERS))
        return 0;
    const Known *given = find_known(amplifier, &dump->slots[call.changed - 1]);
    double scale = 0;
    if (call.added)
        scale = (double)amplifier->gradients[call.added - 1] *
                norm_of(&dump->slots[call.added - 1]) * fmin(1, call.share);
    if (scale > 0 && (!given->slot || amplifier->changed[given->slot - 1])) {
        raise_factor(amplifier, call.changed - 1, scale);
        if (given->slot) {
            raise_factor(amplifier, given->slot - 1, scale);
            raise_factor(amplifier, amplifier->changed[given->slot - 1] - 1, scale);
        }
    }
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (!given->slot && is_result(&dump->slots[i]))
            amplifier->changed[i] = call.changed;
    return scale;
}

// How many gates a result came through. Known: the same gradient was seen before.
static float gates_of(Amplifier *amplifier, const Op *op, const Slot *slot, const Known *known,
                      double given)
{
    const Dump *dump = amplifier->dump;
    if (op->kind == OP_GRADS)
        return known->slot ? amplifier->factors[known->slot - 1].gates : amplifier->passed;
    // What a module gives came through all that its calls did, which stand before it.
    if (op->kind == OP_MODULE && op->direction == DIR_BACKWARD)
        return amplifier->passed;
    Precision own = precision_of(names_text(dump->names, slot->dtype));
    if (op->direction == DIR_BACKWARD && own >= PRECISION_F16 && op->kind == OP_API &&
        rule_on(amplifier->without, RULE_GATES) &&
        op_is_gate(op_name_of(dump->names, op->name).type_name))
        given += 1;
    amplifier->passed = fmaxf(amplifier->passed, (float)given);
    return (float)given;
}

static void amplify_op(Amplifier *amplifier, const Op *op)
{
    const Names *names = amplifier->dump->names;
    call_ahead(amplifier, op);
    amplifier->api = gives_gradients(op) ? STR("") : op_name_of(names, op->name).type_name;
    amplifier->traits = op_traits(amplifier->api);
    amplifier->sums = amplifier->traits & OP_SUMS;
    Inputs inputs = look_at_inputs(amplifier, op);
    inputs.added = look_at_buffers(amplifier, op);
    if (op->kind == OP_GRADS)
        inputs.largest_norm = fmax(inputs.largest_norm, module_norm(amplifier, op));
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        // A number that was computed carries what the tensors next to it carry.
        if (slot->kind == SLOT_SCALAR)
            amplifier->factors[i].factor = (float)inputs.largest_factor;
        if (!is_result(slot) || norm == 0)
            continue;
        Known *known = find_known(amplifier, slot);
        double power, factor = fmax(1, factor_of(amplifier, op, &inputs, slot, &power));
        // Gradients appear again as an entry of their own, without the op that made them.
        if (op->kind == OP_GRADS && known->slot)
            factor = fmax(factor, (double)known->factor);
        amplifier->factors[i] =
            (Amplified){(float)factor, gates_of(amplifier, op, slot, known, inputs.gates)};
        amplifier->powers[i] = (float)power;
        amplifier->gradients[i] = (float)gradient_of(amplifier, op, &inputs, norm, factor);
        Pending *pending = &amplifier->pending[slot->shape];
        if (op->direction == DIR_BACKWARD && factor * norm >= pending->scale)
            *pending = (Pending){i + 1, factor * norm};
        *known = (Known){.slot = i + 1, .check = amplifier->check, .factor = (float)factor};
    }
}

static bool holds_calls(const Dump *dump)
{
    for (uint32_t i = 0; i < dump->op_count; i++)
        if (dump->ops[i].kind == OP_API)
            return true;
    return false;
}

Amplified *amplify_find(const Dump *dump, RuleSet without, Arena *arena)
{
    Arena *scratch = arena_new();
    size_t size = 64, results = 0;  // a small table stays in the cache
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            results += op->direction == DIR_BACKWARD || is_result(&dump->slots[k]);
    }
    while (size < results * 2)
        size *= 2;
    Amplifier amplifier = {
        .dump = dump,
        .without = without,
        .factors = ARENA_ARRAY(arena, Amplified, dump->slot_count),
        .table = ARENA_ARRAY(scratch, Known, size),
        .powers = ARENA_ARRAY(scratch, float, dump->slot_count),
        .gradients = ARENA_ARRAY(scratch, float, dump->slot_count),
        .changed = ARENA_ARRAY(scratch, uint32_t, dump->slot_count),
        .passed = holds_calls(dump) || !rule_on(without, RULE_GATES) ? 0 : GATES_UNSEEN,
        .mask = size - 1,
        .pending = ARENA_ARRAY(scratch, Pending, names_count(dump->names) + 1)};
    look_at_modules(&amplifier, scratch);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        amplifier.factors[i].factor = 1;
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
    return fmax(1, CANCELLATION_SHARE * largest / norm);
}
