// SPDX-License-Identifier: Apache-2.0
// Operands that a call takes in another order.
#include "compare/match/match_crossed.h"

#include <math.h>

#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// Tensors that are less apart are no others.
#define OTHER 1e-3
// Crosswise two tensors must be so many times closer: they differ by noise, or not at all.
#define CLOSER 64.0

// How far two tensors, or NULL, are apart: the sum of the relative differences of their largest and
// smallest element and norm. 0 where they are no evidence.
static double slots_apart(const Slot *a, const Slot *b)
{
    static const Stat stats[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    double sum = 0, x, y;
    for (size_t i = 0; a && b && i < sizeof stats / sizeof *stats; i++)
        if (slot_stat(a, stats[i], &x) && slot_stat(b, stats[i], &y) && isfinite(x) &&
            isfinite(y) && x != y)
            sum += fabs(x - y) / fmax(fabs(x), fabs(y));
    return sum;
}

typedef struct Operands {
    const Dump *dumps[2];  // golden, target
    OpMatch *match;
    bool *exchanged;  // by target NameId: of this forward call
    bool any;         // of all calls before
    Arena *scratch;
} Operands;

// Of calls in place the operand that is overwritten is no matter of order.
static bool commutes(const Dump *dump, const Op *op)
{
    return op_traits(str_behind(op_name_of(dump->names, op->name).stem, '.')) & OP_COMMUTES;
}

// The two tensors that a forward call takes, or false: more or fewer, or an argument next to them
// that is not 1 (alpha).
static bool two_inputs(const Dump *dump, const Op *op, uint32_t slots[2])
{
    uint32_t seen = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (slot_place_group(slot) != GROUP_INPUT || slot->kind == SLOT_NULL)
            continue;
        bool tensor = slot->kind == SLOT_TENSOR;
        if (tensor ? seen == 2 : !str_equal(names_text(dump->names, slot->value), STR("1")))
            return false;
        if (tensor)
            slots[seen++] = i;
    }
    return seen == 2;
}

// The two gradients, or none, that a backward call gives.
static bool two_gradients(const Dump *dump, const Op *op, uint32_t slots[2])
{
    uint32_t seen = 0;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++)
        if (dump->slots[i].group == GROUP_OUTPUT && seen++ < 2)
            slots[seen - 1] = i;
    return seen == 2;
}

// As slots_apart; tensors of other shapes are as far apart as can be, and so are those of other
// checksums where there is nothing else.
static double operands_apart(const Operands *of, uint32_t golden, uint32_t target)
{
    const Slot *a = &of->dumps[0]->slots[golden], *b = &of->dumps[1]->slots[target];
    const Names *names[2] = {of->dumps[0]->names, of->dumps[1]->names};
    if (!str_equal(names_text(names[0], a->shape), names_text(names[1], b->shape)))
        return HUGE_VAL;
    double ignored;
    bool told = slot_stat(a, STAT_NORM, &ignored) && slot_stat(b, STAT_NORM, &ignored);
    if (!told && a->checksum != NAME_NONE && b->checksum != NAME_NONE)
        return str_equal(names_text(names[0], a->checksum), names_text(names[1], b->checksum))
                   ? 0
                   : HUGE_VAL;
    return slots_apart(a, b);
}

static bool in_order(const Operands *of, const uint32_t golden[2], const uint32_t target[2])
{
    const uint32_t *golden_of = of->match->golden_slot_of;
    return golden_of[target[0]] == golden[0] && golden_of[target[1]] == golden[1];
}

// Whether both inputs are each the other one of golden's, and not its own.
static bool are_exchanged(const Operands *of, const uint32_t golden[2], const uint32_t target[2])
{
    double own = operands_apart(of, golden[0], target[0]);
    if (own > OTHER)
        own = fmin(own, operands_apart(of, golden[1], target[1]));
    if (own <= OTHER)
        return false;
    double other =
        fmax(operands_apart(of, golden[0], target[1]), operands_apart(of, golden[1], target[0]));
    return other * CLOSER < own;
}

static bool forward_was_exchanged(const Operands *of, const Op *backward)
{
    const Names *names = of->dumps[1]->names;
    Str forward = str_replace(of->scratch, names_text(names, backward->name), STR(".backward"),
                              STR(".forward"));
    NameId found = names_find(names, forward);
    return found != NAME_NONE && of->exchanged[found];
}

// Which slots of two paired calls change partners.
static bool find_exchanged(const Operands *of, const Op *golden, const Op *target, uint32_t a[2],
                           uint32_t b[2])
{
    if (golden->kind != OP_API || target->kind != OP_API)
        return false;
    if (target->direction == DIR_BACKWARD)
        return of->any && forward_was_exchanged(of, target) &&
               two_gradients(of->dumps[0], golden, a) && two_gradients(of->dumps[1], target, b) &&
               in_order(of, a, b);
    return two_inputs(of->dumps[0], golden, a) && two_inputs(of->dumps[1], target, b) &&
           in_order(of, a, b) && are_exchanged(of, a, b);
}

void match_crossed_operands(const Dump *golden, const Dump *target, OpMatch *match)
{
    Operands of = {.dumps = {golden, target}, .match = match, .scratch = arena_new()};
    of.exchanged = ARENA_ARRAY(of.scratch, bool, names_count(target->names) + 1);
    for (uint32_t i = 0; i < target->op_count; i++) {
        const Op *op = &target->ops[i];
        uint32_t partner = match->golden_of[i], a[2], b[2];
        if (partner == OP_NONE || !find_exchanged(&of, &golden->ops[partner], op, a, b) ||
            !commutes(target, op) || !commutes(golden, &golden->ops[partner]))
            continue;
        match->golden_slot_of[b[0]] = a[1];
        match->golden_slot_of[b[1]] = a[0];
        of.exchanged[op->name] = of.any = true;
    }
    arena_release(of.scratch);
}
