// SPDX-License-Identifier: Apache-2.0
#include "compare/merged_ops.h"

#include "compare/nonfinite/comm_call.h"
#include "model/ranks/merge_ranks.h"

static bool is_first_child(const Graph *graph, NodeId node)
{
    NodeId parent = graph->nodes[node].parent;
    return parent != NODE_NONE && graph->nodes[parent].first_child == node;
}

// The group of a rank's loose APIs that the op lies in, or NODE_NONE.
static NodeId rank_group(const Graph *graph, uint32_t op)
{
    NodeId node = graph_find(graph, graph->dump->ops[op].name);
    NodeId parent = node == NODE_NONE ? NODE_NONE : graph->nodes[node].parent;
    if (parent == NODE_NONE || graph->nodes[parent].type != NODE_GROUP)
        return NODE_NONE;
    Str group = names_text(graph->dump->names, graph->nodes[parent].name);
    return str_starts(group, STR("Apis_Between_Modules_Rank")) ? parent : NODE_NONE;
}

bool merged_one_rank_op(const Graph *graph, uint32_t op)
{
    return graph->dump->merged && rank_group(graph, op) != NODE_NONE;
}

// None of its tensors can be merged: what ranks compute of parts that they exchange, or one lost.
static bool is_of_parts(const Dump *dump, uint32_t op)
{
    uint32_t tensors = 0;
    const Slot *slots = &dump->slots[dump->ops[op].first_slot];
    for (uint32_t i = 0; i < dump->ops[op].slot_count; i++) {
        if (slots[i].kind == SLOT_TENSOR && slots[i].parts < SLOT_LACKING)
            return false;
        tensors += slots[i].kind == SLOT_TENSOR;
    }
    return dump->merged && dump->ops[op].kind == OP_API && tensors > 0;
}

bool merged_layout_op(const Graph *graph, uint32_t op)
{
    if (comm_is_call(names_text(graph->dump->names, graph->dump->ops[op].name)) ||
        is_of_parts(graph->dump, op))
        return true;
    NodeId group = rank_group(graph, op);
    return group != NODE_NONE && !is_first_child(graph, group);
}

bool merged_expert_op(const Graph *graph, uint32_t op)
{
    NodeId node = graph_find(graph, graph->dump->ops[op].name);
    for (; node != NODE_NONE; node = graph->nodes[node].parent)
        if (merge_is_expert(names_text(graph->dump->names, graph->nodes[node].name)))
            return true;
    return merge_is_expert(names_text(graph->dump->names, graph->dump->ops[op].name));
}
