// SPDX-License-Identifier: Apache-2.0
#include "compare/slot_before.h"

const Op *slot_before_op(const Graph *before, Str name)
{
    NameId id = names_find(before->dump->names, name);
    NodeId node = id == NAME_NONE ? NODE_NONE : graph_find(before, id);
    if (node == NODE_NONE || before->nodes[node].op == OP_NONE)
        return NULL;
    return &before->dump->ops[before->nodes[node].op];
}

const Slot *slot_before_find(const Graph *before, const Op *op, Str path, Str shape)
{
    const Dump *dump = before->dump;
    for (uint32_t i = op ? op->first_slot : 0; op && i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &dump->slots[i];
        if (str_equal(names_text(dump->names, slot->path), path) &&
            str_equal(names_text(dump->names, slot->shape), shape))
            return slot;
    }
    return NULL;
}
