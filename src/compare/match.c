// SPDX-License-Identifier: Apache-2.0
#include "compare/match.h"

#include <string.h>

#include "read/op_name.h"

static uint32_t *filled(Arena *arena, size_t count)
{
    uint32_t *items = ARENA_ARRAY(arena, uint32_t, count);
    memset(items, 0xFF, count * sizeof *items);
    return items;
}

static void pair_up(OpMatch *match, uint32_t golden, uint32_t target)
{
    match->golden_of[target] = golden;
    match->target_of[golden] = target;
    match->pair_count++;
}

static void match_by_name(const Dump *golden, const Dump *target, Arena *scratch, OpMatch *out)
{
    uint32_t *op_of_name = filled(scratch, names_count(golden->names) + 1);
    for (uint32_t i = golden->op_count; i-- > 0;)
        if (golden->ops[i].kind != OP_GRADS)
            op_of_name[golden->ops[i].name] = i;
    for (uint32_t i = 0; i < target->op_count; i++) {
        NameId name = out->golden_name[target->ops[i].name];
        if (name == NAME_NONE || target->ops[i].kind == OP_GRADS)
            continue;
        uint32_t partner = op_of_name[name];
        if (partner != OP_NONE && out->target_of[partner] == OP_NONE)
            pair_up(out, partner, i);
    }
}

static Str stem_of(const Dump *dump, uint32_t op)
{
    return op_name_parse(names_text(dump->names, dump->ops[op].name)).stem;
}

// Per module a queue of golden's gradient entries in the order of the file.
static void match_gradients(const Dump *golden, const Dump *target, Arena *scratch, OpMatch *out)
{
    Names *modules = names_new(scratch);
    uint32_t *next = filled(scratch, (size_t)golden->op_count + 1);
    uint32_t *head = filled(scratch, (size_t)golden->op_count + 1);
    for (uint32_t i = golden->op_count; i-- > 0;) {
        if (golden->ops[i].kind != OP_GRADS)
            continue;
        NameId module = names_add(modules, stem_of(golden, i));
        next[i] = head[module];
        head[module] = i;
    }
    for (uint32_t i = 0; i < target->op_count; i++) {
        if (target->ops[i].kind != OP_GRADS)
            continue;
        NameId module = names_find(modules, stem_of(target, i));
        if (module == NAME_NONE || head[module] == OP_NONE)
            continue;
        pair_up(out, head[module], i);
        head[module] = next[head[module]];
    }
}

void match_ops(const Dump *golden, const Dump *target, Arena *arena, OpMatch *out)
{
    *out = (OpMatch){.golden_of = filled(arena, target->op_count),
                     .target_of = filled(arena, golden->op_count),
                     .golden_name = names_translate(target->names, golden->names, arena)};
    Arena *scratch = arena_new();
    match_by_name(golden, target, scratch, out);
    match_gradients(golden, target, scratch, out);
    arena_release(scratch);
}

// Keyword and positional inputs of one name are the same place: both are shown as .input.<name>.
static int place_group(const Slot *slot)
{
    return slot->group == GROUP_KWARGS ? GROUP_INPUT : slot->group;
}

static bool same_place(const Slot *golden, const Slot *target, NameId path)
{
    return golden->path == path && place_group(golden) == place_group(target);
}

uint32_t match_slot(const Dump *golden, const Op *golden_op, const OpMatch *match,
                    const Slot *target_slot, uint32_t hint)
{
    NameId path = match->golden_name[target_slot->path];
    if (path == NAME_NONE)
        return UINT32_MAX;
    const Slot *slots = golden->slots + golden_op->first_slot;
    if (hint < golden_op->slot_count && same_place(&slots[hint], target_slot, path))
        return golden_op->first_slot + hint;
    for (uint32_t i = 0; i < golden_op->slot_count; i++)
        if (same_place(&slots[i], target_slot, path))
            return golden_op->first_slot + i;
    return UINT32_MAX;
}

static NodeId node_partner(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
{
    const Node *node = &target->nodes[id];
    if (node->op != OP_NONE && ops->golden_of[node->op] != OP_NONE)
        return graph_find(golden, golden->dump->ops[ops->golden_of[node->op]].name);
    NameId name = node->name < names_count(target->dump->names) + 1
                      ? names_find(golden->dump->names, names_text(target->dump->names, node->name))
                      : NAME_NONE;
    NodeId found = name == NAME_NONE ? NODE_NONE : graph_find(golden, name);
    // An op that pairs with another op is not this node's partner.
    if (found != NODE_NONE && golden->nodes[found].op != OP_NONE &&
        ops->target_of[golden->nodes[found].op] != OP_NONE)
        return NODE_NONE;
    return found;
}

// A group is the partner of the group that holds the partner of one of its ops.
static NodeId group_partner(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
{
    for (NodeId child = target->nodes[id].first_child; child != NODE_NONE;
         child = target->nodes[child].next) {
        NodeId partner = node_partner(golden, target, ops, child);
        if (partner == NODE_NONE)
            continue;
        NodeId parent = golden->nodes[partner].parent;
        if (parent != NODE_NONE && golden->nodes[parent].type == NODE_GROUP)
            return parent;
    }
    return NODE_NONE;
}

void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out)
{
    *out = (NodeMatch){.golden_of = filled(arena, target->count),
                       .target_of = filled(arena, golden->count)};
    for (NodeId id = 0; id < target->count; id++) {
        NodeId partner = target->nodes[id].type == NODE_GROUP
                             ? group_partner(golden, target, ops, id)
                             : node_partner(golden, target, ops, id);
        if (partner == NODE_NONE || out->target_of[partner] != NODE_NONE)
            continue;
        out->golden_of[id] = partner;
        out->target_of[partner] = id;
    }
}
