// SPDX-License-Identifier: Apache-2.0
#include "compare/merged_ops.h"

#include "compare/nonfinite/comm_call.h"

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

bool merged_layout_op(const Graph *graph, uint32_t op)
{
    if (comm_is_call(names_text(graph->dump->names, graph->dump->ops[op].name)))
        return true;
    NodeId group = rank_group(graph, op);
    return group != NODE_NONE && !is_first_child(graph, group);
}
