// SPDX-License-Identifier: Apache-2.0
// Calls that one side makes for its log alone.
#include "compare/aside_ops.h"

#include "compare/slot_values.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

typedef struct Aside {
    const Comparison *comparison;
    const Dump *dumps[2];
    Names *called[2];      // the APIs of each side
    Names *backward[2];    // and the calls of each that have a backward call
    SlotValues used[2];    // what ops took that are not aside, from the last op on
    SlotValues beside[2];  // and what those took that are
    bool computes[2];      // a backward call of the side is behind
    Arena *scratch;
    bool *out;
} Aside;

static Str call_key(const Aside *aside, int side, const Op *op)
{
    OpName name = op_name_of(aside->dumps[side]->names, op->name);
    return str_printf(aside->scratch, STR_FMT "#%d", STR_ARG(name.stem), (int)name.call);
}

static void collect_calls(Aside *aside, int side)
{
    const Dump *dump = aside->dumps[side];
    aside->called[side] = names_new(aside->scratch);
    aside->backward[side] = names_new(aside->scratch);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        if (op->kind != OP_API)
            continue;
        names_add(aside->called[side], op_name_of(dump->names, op->name).stem);
        if (op->direction == DIR_BACKWARD)
            names_add(aside->backward[side], call_key(aside, side, op));
    }
    slot_values_init(&aside->used[side], dump, GROUP_COUNT, aside->scratch);
    slot_values_init(&aside->beside[side], dump, GROUP_COUNT, aside->scratch);
}

static void take(Aside *aside, int side, const Op *op, SlotValues *into)
{
    const Dump *dump = aside->dumps[side];
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
        if (dump->slots[k].kind == SLOT_TENSOR && !slot_is_output_tensor(&dump->slots[k]))
            slot_values_add(into, k);
}

// Whether its results go to ops aside, and to no other behind it.
static bool goes_aside(const Aside *aside, int side, const Op *op)
{
    const Dump *dump = aside->dumps[side];
    bool beside = false;
    for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++) {
        if (!slot_is_output_tensor(&dump->slots[k]))
            continue;
        if (slot_values_has(&aside->used[side], &dump->slots[k]))
            return false;
        beside = beside || slot_values_has(&aside->beside[side], &dump->slots[k]);
    }
    return beside;
}

// What changes its first input, or hands it to other ranks, does more than give a result.
static bool gives_only(Str stem)
{
    return !op_is_in_place(stem) && !op_name_is_distributed(stem);
}

static void look_at(Aside *aside, uint32_t at)
{
    const OpPair *pair = &aside->comparison->ops[at];
    for (int side = 0; side < 2; side++) {
        uint32_t index = side == 0 ? pair->golden : pair->target;
        if (index == OP_NONE)
            continue;
        const Op *op = &aside->dumps[side]->ops[index];
        Str stem = op_name_of(aside->dumps[side]->names, op->name).stem;
        aside->computes[side] =
            aside->computes[side] || (op->kind == OP_API && op->direction == DIR_BACKWARD);
        bool alone = !op_has_both(pair) && op->kind == OP_API && op->direction == DIR_FORWARD &&
                     aside->computes[side] && gives_only(stem) &&
                     names_find(aside->backward[side], call_key(aside, side, op)) == NAME_NONE;
        bool foreign = alone && names_find(aside->called[1 - side], stem) == NAME_NONE;
        aside->out[at] = alone && pair->status == STATUS_UNMATCHED && goes_aside(aside, side, op);
        take(aside, side, op,
             foreign || aside->out[at] ? &aside->beside[side] : &aside->used[side]);
    }
}

void aside_ops_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    Aside aside = {.comparison = comparison,
                   .dumps = {comparison->golden->dump, comparison->target->dump},
                   .scratch = scratch,
                   .out = out};
    for (int side = 0; side < 2; side++)
        if (comparison->recorded[side].ops[OP_API][DIR_BACKWARD] == 0)
            return;
    for (int side = 0; side < 2; side++)
        collect_calls(&aside, side);
    for (uint32_t i = comparison->op_count; i-- > 0;)
        look_at(&aside, i);
}
