// SPDX-License-Identifier: Apache-2.0
// From the last op of a side to the first: who takes what an op gives is known when it is reached.
#include "compare/op_effect.h"

#include "compare/nonfinite/comm_call.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

typedef struct Side {
    const Comparison *comparison;
    const Dump *dump;
    uint32_t *pair_of;  // by op
    const Flow *flow;
    uint32_t *giver;      // by first slot of a value: the first API call that both sides make and
                          // that gives it, else the first module, + 1
    bool *needed;         // by that slot: a later op took it that computes or has a partner
    bool *written;        // or one that writes, or feeds such an op
    Names *backward;      // calls that run backward: "Functional.linear#3"
    bool trains;          // there are such
    bool records_inputs;  // what no op takes is seen
    bool records_before;  // of ops in place the dump holds what they took
    bool behind;          // an op with a partner was passed
    Arena *scratch;
    uint8_t *out;
} Side;

static bool is_in_place(const Dump *dump, const Op *op)
{
    return op->kind == OP_API && op->direction == DIR_FORWARD &&
           op_is_in_place(op_name_call(dump->names, op->name).stem);
}

bool op_writes(const Dump *dump, const Op *op)
{
    return is_in_place(dump, op) || comm_is_call(names_text(dump->names, op->name));
}

static bool is_taken(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && !slot_is_output_tensor(slot);
}

// Calls of modules are counted backwards by some dumpers: all of one belong together.
static Str call_key(const Side *side, const Op *op)
{
    OpName name = op_name_call(side->dump->names, op->name);
    if (op->kind != OP_API)
        return name.stem;
    return str_printf(side->scratch, STR_FMT "#%d", STR_ARG(name.stem), (int)name.call);
}

// Dumps of older dumpers hold what an op in place left as what it took.
static bool shows_change(const Flow *flow, const Op *op)
{
    uint32_t taken = SLOT_NONE, result = SLOT_NONE;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        if (taken == SLOT_NONE && is_taken(&flow->dump->slots[k]))
            taken = k;
        if (result == SLOT_NONE && slot_is_output_tensor(&flow->dump->slots[k]))
            result = k;
    }
    return taken != SLOT_NONE && result != SLOT_NONE && flow->same[taken] != SLOT_NONE &&
           flow->same[result] != SLOT_NONE && !flow_same(flow, taken, result);
}

static void look_at_ops(Side *side)
{
    const Dump *dump = side->dump;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op->direction == DIR_BACKWARD || op->kind == OP_GRADS)
            names_add(side->backward, call_key(side, op));
        side->trains = side->trains || op->direction == DIR_BACKWARD;
        side->records_before =
            side->records_before || (is_in_place(dump, op) && shows_change(side->flow, op));
    }
    // Calls before the modules around them: of equal results the first counts.
    for (uint32_t i = 0; i < 2 * dump->op_count; i++) {
        uint32_t at = i % dump->op_count;
        const Op *op = &dump->ops[at];
        bool calls = i < dump->op_count;
        if ((op->kind == OP_API) != calls ||
            !op_has_both(&side->comparison->ops[side->pair_of[at]]))
            continue;
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (slot_is_output_tensor(&dump->slots[k]) && side->flow->same[k] != SLOT_NONE &&
                !side->giver[side->flow->same[k]])
                side->giver[side->flow->same[k]] = at + 1;
    }
}

// Whether the value is what the op took, or what an op gives that both sides make: before a call,
// or in a module, around which others stand.
static bool is_known(const Side *side, uint32_t index, uint32_t slot)
{
    const Op *op = &side->dump->ops[index];
    if (side->flow->same[slot] == SLOT_NONE)
        return false;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (is_taken(&side->dump->slots[k]) && flow_same(side->flow, k, slot))
            return true;
    uint32_t giver = side->giver[side->flow->same[slot]];
    if (!giver || op->kind != OP_API)
        return giver != 0;
    return giver - 1 < index && side->dump->ops[giver - 1].kind == OP_API;
}

static bool is_in(const Side *side, const bool *values, uint32_t slot)
{
    return side->flow->same[slot] != SLOT_NONE && values[side->flow->same[slot]];
}

static void take_all(const Side *side, const Op *op, bool *into)
{
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (is_taken(&side->dump->slots[k]) && side->flow->same[k] != SLOT_NONE)
            into[side->flow->same[k]] = true;
}

// What the results of an op tell.
typedef struct Results {
    uint32_t tensors, told;
    bool old;              // each was there before
    bool needed, written;  // one is taken by such ops
} Results;

static Results results_of(const Side *side, uint32_t index)
{
    const Op *op = &side->dump->ops[index];
    Results out = {.old = true};
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        if (!slot_is_output_tensor(&side->dump->slots[k]))
            continue;
        out.tensors++;
        out.told += side->flow->same[k] != SLOT_NONE;
        out.old = out.old && is_known(side, index, k);
        out.needed = out.needed || is_in(side, side->needed, k);
        out.written = out.written || is_in(side, side->written, k);
    }
    return out;
}

// The last result of a pass without gradients is what the run is for, and that of a call that runs
// backward is taken by what made the gradient.
static bool may_be_unused(const Side *side, const Op *op)
{
    bool forward = op->direction == DIR_FORWARD && (op->kind == OP_API || op->kind == OP_MODULE);
    return forward && side->records_inputs && (side->behind || side->trains) &&
           names_find(side->backward, call_key(side, op)) == NAME_NONE;
}

static OpEffect effect_of(const Side *side, uint32_t index)
{
    const Op *op = &side->dump->ops[index];
    Results results = results_of(side, index);
    bool in_place = is_in_place(side->dump, op), told = results.told == results.tensors;
    if (results.told && told && results.old && (!in_place || side->records_before) &&
        op->kind != OP_GRADS)
        return EFFECT_NONE;
    if (op_writes(side->dump, op))
        return EFFECT_WRITES;
    if (!told || results.needed || !may_be_unused(side, op))
        return EFFECT_COMPUTES;
    return results.written ? EFFECT_FEEDS : EFFECT_UNUSED;
}

static void look_at(Side *side, uint32_t index)
{
    const OpPair *pair = &side->comparison->ops[side->pair_of[index]];
    const Op *op = &side->dump->ops[index];
    bool open = !op_has_both(pair) && pair->status == STATUS_UNMATCHED;
    OpEffect effect = open ? effect_of(side, index) : EFFECT_COMPUTES;
    side->out[side->pair_of[index]] = (uint8_t)effect;
    side->behind = side->behind || op_has_both(pair);
    // What gives a value that was there hands on who takes it.
    if (effect != EFFECT_UNUSED && effect != EFFECT_NONE)
        take_all(side, op,
                 effect == EFFECT_WRITES || effect == EFFECT_FEEDS ? side->written : side->needed);
}

uint8_t *op_effects_find(const Comparison *comparison, Arena *arena)
{
    uint8_t *out = ARENA_ARRAY(arena, uint8_t, (size_t)comparison->op_count + 1);
    for (int s = 0; s < 2; s++) {
        const Dump *dump = comparison_graph(comparison, s)->dump;
        Arena *scratch = arena_new();
        Side side = {.comparison = comparison,
                     .dump = dump,
                     .pair_of = pairs_by_op(comparison, s, scratch),
                     .flow = comparison->flows[s],
                     .giver = ARENA_ARRAY(scratch, uint32_t, (size_t)dump->slot_count + 1),
                     .needed = ARENA_ARRAY(scratch, bool, (size_t)dump->slot_count + 1),
                     .written = ARENA_ARRAY(scratch, bool, (size_t)dump->slot_count + 1),
                     .backward = names_new(scratch),
                     .records_inputs =
                         !recorded_lacks_role(&comparison->recorded[s], DIR_FORWARD, SLOT_INPUTS),
                     .scratch = scratch,
                     .out = out};
        look_at_ops(&side);
        for (uint32_t i = dump->op_count; i-- > 0;)
            look_at(&side, i);
        arena_release(scratch);
    }
    return out;
}
