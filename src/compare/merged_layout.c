// SPDX-License-Identifier: Apache-2.0
#include "compare/merged_layout.h"

#include "compare/comm_call.h"

static uint32_t shares_of(const Dump *dump)
{
    return dump->merged ? dump->shares : 1;
}

static uint32_t ranks_of(const Dump *dump)
{
    return dump->merged ? dump->merged_ranks : 1;
}

bool merged_any(const Dump *golden, const Dump *target)
{
    return golden->merged || target->merged;
}

// A merged dump that was read from a file does not tell its shares.
bool merged_shares_differ(const Dump *golden, const Dump *target)
{
    return shares_of(golden) != shares_of(target) || shares_of(golden) == 0;
}

bool merged_same_whole(const Dump *golden, const Dump *target, double golden_size,
                       double target_size)
{
    return merged_shares_differ(golden, target) &&
           golden_size * shares_of(golden) == target_size * shares_of(target);
}

bool merged_layouts_differ(const Dump *golden, const Dump *target)
{
    return merged_shares_differ(golden, target) || ranks_of(golden) != ranks_of(target);
}

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
