// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/slot_source.h"

#include "compare/judge/floor.h"
#include "compare/slot_values.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

typedef struct Finder {
    const Dump *dump;
    SlotValues parameters;  // values of all slots of group parameters
    SlotValues outputs;     // values given by ops so far
    uint32_t ahead;         // slots before this one are on their way to the cache
} Finder;

enum { SLOTS_AHEAD = 24 };

// The sets of a large dump do not fit the cache: their places are asked for before they are needed.
static void call_ahead(Finder *finder, const Op *op)
{
    uint32_t end = op->first_slot + op->slot_count, last = finder->dump->slot_count;
    end = last - end > SLOTS_AHEAD ? end + SLOTS_AHEAD : last;
    for (; finder->ahead < end; finder->ahead++) {
        const Slot *slot = &finder->dump->slots[finder->ahead];
        if (slot->kind != SLOT_TENSOR)
            continue;
        uint64_t hash = slot_values_hash(slot);
        __builtin_prefetch(&finder->outputs.places[hash & finder->outputs.mask]);
        __builtin_prefetch(&finder->parameters.places[hash & finder->parameters.mask]);
    }
}

static SourceKind kind_of(const Finder *finder, const Op *op, const Slot *slot, unsigned traits)
{
    const Names *names = finder->dump->names;
    if (slot->kind == SLOT_SCALAR || slot->kind == SLOT_OTHER)
        return slot->group == GROUP_OUTPUT ? SOURCE_COMPUTED : SOURCE_ARGUMENT;
    if (slot->kind != SLOT_TENSOR || slot->group == GROUP_OUTPUT || slot->group == GROUP_GRADS ||
        slot->group == GROUP_DEBUG || op->direction == DIR_BACKWARD)
        return SOURCE_COMPUTED;
    if (slot->group == GROUP_PARAMETERS)
        return SOURCE_PARAMETER;
    if (slot_values_has(&finder->outputs, slot))
        return SOURCE_COMPUTED;
    if (precision_of_slot(names, slot) == PRECISION_EXACT)
        return SOURCE_INDEX;
    if (op->kind == OP_API && (slot_values_has(&finder->parameters, slot) ||
                               op_weight_place(traits, names_text(names, slot->path))))
        return SOURCE_PARAMETER;
    return SOURCE_COMPUTED;
}

uint8_t *source_find(const Dump *dump, Arena *arena)
{
    uint8_t *kinds = ARENA_ARRAY(arena, uint8_t, dump->slot_count);
    Arena *scratch = arena_new();
    Finder finder = {.dump = dump};
    slot_values_init(&finder.parameters, dump, GROUP_PARAMETERS, scratch);
    slot_values_init(&finder.outputs, dump, GROUP_OUTPUT, scratch);
    for (uint32_t i = 0; i < dump->slot_count; i++)
        if (dump->slots[i].group == GROUP_PARAMETERS && dump->slots[i].kind == SLOT_TENSOR)
            slot_values_add(&finder.parameters, i);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        call_ahead(&finder, op);
        unsigned traits = 0;
        if (op->kind == OP_API && op->direction != DIR_BACKWARD)
            traits = op_traits(op_name_of(dump->names, op->name).type_name);
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            kinds[k] = (uint8_t)kind_of(&finder, op, &dump->slots[k], traits);
        for (uint32_t k = op->first_slot; k < op->first_slot + op->slot_count; k++)
            if (slot_is_output_tensor(&dump->slots[k]))
                slot_values_add(&finder.outputs, k);
    }
    arena_release(scratch);
    return kinds;
}
