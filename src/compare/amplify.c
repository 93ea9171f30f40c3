// SPDX-License-Identifier: Apache-2.0
#include "compare/amplify.h"

#include <math.h>
#include <string.h>

#include "read/op_name.h"

// The share of the largest tensor's norm that cancellation can leave as error, in units of the
// floor.
#define CANCELLATION_SHARE 0.25

// Ops whose result is a sum or a collection of their inputs.
static const char *const additive[] = {"add",      "add_",     "sub",   "sub_", "__add__",
                                       "__iadd__", "__sub__",  "stack", "cat",  "sum",
                                       "addcdiv_", "addcmul_", "lerp_", "norm"};

typedef struct Known {
    uint32_t slot;  // + 1; 0: empty
    float factor;
} Known;

typedef struct Amplifier {
    const Dump *dump;
    float *factors;
    Known *table;  // by the four statistics of a slot
    size_t mask;
} Amplifier;

static double norm_of(const Slot *slot)
{
    double norm;
    bool told = slot->kind == SLOT_TENSOR && slot_stat(slot, STAT_NORM, &norm) && isfinite(norm);
    return told ? fabs(norm) : 0;
}

static Known *find_known(Amplifier *amplifier, const Slot *slot)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < STAT_COUNT; i++) {
        hash ^= slot->stat[i].natural;
        hash *= 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
    }
    size_t place = hash & amplifier->mask;
    while (amplifier->table[place].slot) {
        const Slot *other = &amplifier->dump->slots[amplifier->table[place].slot - 1];
        if (memcmp(other->stat, slot->stat, sizeof slot->stat) == 0)
            break;
        place = (place + 1) & amplifier->mask;
    }
    return &amplifier->table[place];
}

static bool is_result(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS;
}

typedef struct Inputs {
    double largest_norm;    // of all tensors of the op
    double largest_factor;  // over its inputs
    double largest_scale;   // over its inputs: factor * norm
} Inputs;

static Inputs look_at_inputs(Amplifier *amplifier, const Op *op)
{
    Inputs out = {.largest_factor = 1};
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        out.largest_norm = fmax(out.largest_norm, norm);
        if (is_result(slot) || norm == 0)
            continue;
        const Known *known = find_known(amplifier, slot);
        double factor = known->slot ? (double)known->factor : 1;
        amplifier->factors[i] = (float)factor;
        out.largest_factor = fmax(out.largest_factor, factor);
        out.largest_scale = fmax(out.largest_scale, factor * norm);
    }
    return out;
}

static bool is_additive(Str api)
{
    for (size_t i = 0; i < sizeof additive / sizeof *additive; i++)
        if (str_equal(api, str_of(additive[i])))
            return true;
    return false;
}

static double factor_of(const Amplifier *amplifier, const Op *op, const Inputs *inputs, double norm)
{
    if (op->direction == DIR_BACKWARD || op->kind == OP_GRADS)
        return fmax(inputs->largest_factor, CANCELLATION_SHARE * inputs->largest_norm / norm);
    Str name = names_text(amplifier->dump->names, op->name);
    if (is_additive(op_name_parse(name).type_name))
        return inputs->largest_scale / norm;
    return inputs->largest_factor;
}

static void amplify_op(Amplifier *amplifier, const Op *op)
{
    Inputs inputs = look_at_inputs(amplifier, op);
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &amplifier->dump->slots[i];
        double norm = norm_of(slot);
        if (!is_result(slot) || norm == 0)
            continue;
        Known *known = find_known(amplifier, slot);
        double factor = fmax(1, factor_of(amplifier, op, &inputs, norm));
        // Gradients appear again as an entry of their own, without the op that made them.
        if (op->kind == OP_GRADS && known->slot)
            factor = fmax(factor, (double)known->factor);
        amplifier->factors[i] = (float)factor;
        *known = (Known){.slot = i + 1, .factor = (float)factor};
    }
}

float *amplify_find(const Dump *dump, Arena *arena)
{
    Arena *scratch = arena_new();
    size_t size = 64;
    while (size < (size_t)dump->slot_count * 2)
        size *= 2;
    Amplifier amplifier = {.dump = dump,
                           .factors = ARENA_ARRAY(arena, float, dump->slot_count),
                           .table = ARENA_ARRAY(scratch, Known, size),
                           .mask = size - 1};
    for (uint32_t i = 0; i < dump->slot_count; i++)
        amplifier.factors[i] = 1;
    for (uint32_t i = 0; i < dump->op_count; i++)
        amplify_op(&amplifier, &dump->ops[i]);
    arena_release(scratch);
    return amplifier.factors;
}
