// SPDX-License-Identifier: Apache-2.0
#include "compare/slot_before.h"

#include <inttypes.h>

#include "base/array.h"

const Op *slot_before_op(const Graph *before, Str name)
{
    NameId id = names_find(before->dump->names, name);
    NodeId node = id == NAME_NONE ? NODE_NONE : graph_find(before, id);
    if (node == NODE_NONE || before->nodes[node].op == OP_NONE)
        return NULL;
    return &before->dump->ops[before->nodes[node].op];
}

SlotsBefore slots_before(const Graph *graph, Arena *arena)
{
    return (SlotsBefore){.graph = graph,
                         .arena = arena,
                         .places = names_new(arena),
                         .key = strbuf_new(arena),
                         .listed = ARENA_ARRAY(arena, bool, (size_t)graph->dump->op_count + 1)};
}

static Str place_key(SlotsBefore *before, uint32_t op, Str path, Str shape)
{
    before->key.size = 0;
    strbuf_printf(&before->key, "%" PRIu32 " %zu ", op, path.size);
    strbuf_add(&before->key, path);
    strbuf_add(&before->key, shape);
    return strbuf_str(&before->key);
}

static void list_slots(SlotsBefore *before, uint32_t index)
{
    const Dump *dump = before->graph->dump;
    const Op *op = &dump->ops[index];
    before->listed[index] = true;
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        Str path = names_text(dump->names, dump->slots[i].path);
        Str shape = names_text(dump->names, dump->slots[i].shape);
        NameId place = names_add(before->places, place_key(before, index, path, shape));
        if (place > before->first_count)
            *ARRAY_ADD(before->arena, before->first, before->first_count, before->first_capacity) =
                i;
    }
}

const Slot *slot_before_find(SlotsBefore *before, const Op *op, Str path, Str shape)
{
    const Dump *dump = before->graph->dump;
    if (!op)
        return NULL;
    uint32_t index = (uint32_t)(op - dump->ops);
    if (!before->listed[index])
        list_slots(before, index);
    NameId place = names_find(before->places, place_key(before, index, path, shape));
    return place == NAME_NONE ? NULL : &dump->slots[before->first[place - 1]];
}
