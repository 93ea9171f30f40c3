// SPDX-License-Identifier: Apache-2.0
// Which node of golden stands for which of the target, from the pairs of ops and from names.
#include "compare/match/match.h"

#include "base/array.h"

static NodeId find_by_name(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
{
    if (ops->golden_node_of)
        return ops->golden_node_of[id];
    NameId name =
        names_find(golden->dump->names, names_text(target->dump->names, target->nodes[id].name));
    return name == NAME_NONE ? NODE_NONE : graph_find(golden, name);
}

static NodeId node_partner(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
{
    uint32_t op = target->nodes[id].op;
    if (op != OP_NONE && ops->golden_of[op] != OP_NONE)
        return graph_find(golden, golden->dump->ops[ops->golden_of[op]].name);
    NodeId found = find_by_name(golden, target, ops, id);
    if (found == NODE_NONE || golden->nodes[found].op == OP_NONE)
        return found;
    // Two ops that did not pair up are no partners; nor is one that pairs with another op.
    bool free = op == OP_NONE && ops->target_of[golden->nodes[found].op] == OP_NONE;
    return free ? found : NODE_NONE;
}

// A group is the partner of the group that holds the partner of one of its ops.
static NodeId group_of_ops(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
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

// Merged ranks have groups of such groups.
static NodeId group_partner(const Graph *golden, const Graph *target, const OpMatch *ops, NodeId id)
{
    NodeId inner = target->nodes[id].first_child;
    if (inner == NODE_NONE || target->nodes[inner].type != NODE_GROUP)
        return group_of_ops(golden, target, ops, id);
    NodeId partner = group_of_ops(golden, target, ops, inner);
    NodeId parent = partner == NODE_NONE ? NODE_NONE : golden->nodes[partner].parent;
    bool group = parent != NODE_NONE && golden->nodes[parent].type == NODE_GROUP;
    return group ? parent : NODE_NONE;
}

void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out)
{
    *out = (NodeMatch){.golden_of = array_of_none(arena, target->count),
                       .target_of = array_of_none(arena, golden->count)};
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
