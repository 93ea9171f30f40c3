// SPDX-License-Identifier: Apache-2.0
// The largest number of a tensor moves by a step of its type: by so much of its own norm the tensor
// is off, and by as much of theirs, spread over as few numbers, is what is computed of it.
#include "compare/judge/noise_rounding.h"

#include <math.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "read/dump/op_name.h"

// How many events a run may have of which as many as one runs show none (at 1e-4): e^-9.2.
#define UNSEEN 9.2

typedef struct Rounding {
    const Dump *golden;
    const NoiseSlots *slots;
    double many;         // how many times what one does what a few of them do
    Names *modules;      // that have backward calls
    float *module_peak;  // by their NameId: of the gradients that they take
    float *out;
} Rounding;

static Precision precision_at(const Rounding *of, uint32_t slot)
{
    return precision_of_slot(of->golden->names, &of->golden->slots[slot]);
}

// The share of the largest number in the norm; 0: not known, or nothing but zeros.
static double peak_of(const Slot *slot)
{
    double norm = floor_scale(slot, STAT_NORM, 0);
    return norm > 0 ? fmin(1, floor_scale(slot, STAT_MAX, 0) / norm) : 0;
}

// The least share of the inputs that were computed; 0: there is none.
static double peak_taken(const Rounding *of, const Op *op)
{
    double least = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &of->golden->slots[i];
        double peak = slot->kind == SLOT_TENSOR && !slot_is_result(slot) &&
                              of->slots->flow->source[i] == SOURCE_COMPUTED &&
                              precision_at(of, i) != PRECISION_EXACT
                          ? peak_of(slot)
                          : 0;
        least = peak > 0 && (least == 0 || peak < least) ? peak : least;
    }
    return least;
}

// The gradients of a module's weights are in an entry of their own.
static void look_at_modules(Rounding *of, Arena *scratch)
{
    const Dump *golden = of->golden;
    of->modules = names_new(scratch);
    of->module_peak = ARENA_ARRAY(scratch, float, (size_t)golden->op_count + 1);
    for (uint32_t i = 0; i < golden->op_count; i++) {
        const Op *op = &golden->ops[i];
        if (op->kind != OP_MODULE || op->direction != DIR_BACKWARD)
            continue;
        NameId module = names_add(of->modules, op_name_call(golden->names, op->name).stem);
        of->module_peak[module] = (float)peak_taken(of, op);
    }
}

static double peak_before(const Rounding *of, const Op *op)
{
    if (op->kind != OP_GRADS)
        return peak_taken(of, op);
    NameId module = names_find(of->modules, op_name_call(of->golden->names, op->name).stem);
    return module == NAME_NONE ? 0 : (double)of->module_peak[module];
}

// Tables and masks are computed too, from nothing that was trained or that the run was given.
static bool is_constant(const Op *op, const Slot *slot)
{
    return op->direction == DIR_FORWARD && slot->requires_grad != TRI_TRUE;
}

static void set_slot(const Rounding *of, uint32_t index, double taken, double step)
{
    const Slot *slot = &of->golden->slots[index];
    double own = peak_of(slot), count = (double)of->slots->elements[slot->shape];
    double off = step * of->many * fmin(1, taken > 0 ? taken : own);
    float *out = &of->out[(size_t)index * STAT_COUNT];
    double factor = (double)of->slots->amplification[index];
    off *= factor;
    out[STAT_NORM] = (float)(off * own);
    out[STAT_MEAN] = (float)(off / sqrt(fmax(1, count)));
    out[STAT_MAX] = out[STAT_MIN] = (float)(step * factor);
}

float *noise_rounding_find(const Dump *golden, const NoiseSlots *slots, size_t runs, Arena *arena)
{
    Arena *scratch = arena_new();
    Rounding of = {.golden = golden,
                   .slots = slots,
                   .many = sqrt(UNSEEN / (double)(runs ? runs : 1)),
                   .out = ARENA_ARRAY(arena, float, (size_t)golden->slot_count *STAT_COUNT + 1)};
    double step = 0;
    look_at_modules(&of, scratch);
    for (uint32_t i = 0; i < golden->op_count; i++) {
        const Op *op = &golden->ops[i];
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (golden->slots[k].kind == SLOT_TENSOR && precision_is_half(precision_at(&of, k)))
                step = fmax(step, epsilon_of(precision_at(&of, k)));
        double taken = step > 0 ? peak_before(&of, op) : 0;
        for (uint32_t k = op->first_slot; step > 0 && k < op->first_slot + op->slot_count; k++) {
            const Slot *slot = &golden->slots[k];
            bool result = slot_is_result(slot);
            if (slot->kind == SLOT_TENSOR && !is_constant(op, slot) &&
                precision_at(&of, k) == PRECISION_F32 && slots->flow->source[k] == SOURCE_COMPUTED)
                set_slot(&of, k, result ? taken : 0, step);
        }
    }
    arena_release(scratch);
    return of.out;
}
