// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph_builder.h"

// Micro steps (docs/spec/graph.md §2.11): told by the dump of Megatron runs, else a module that
// runs forward after something ran backward at the root begins a new one.

static bool is_forward(const Graph *graph, const Node *node)
{
    Str name = names_text(graph->dump->names, node->name);
    return str_find(name, STR(".forward."), 0) != SIZE_MAX;
}

static void number_root_children(Graph *graph)
{
    uint32_t step = 0;
    bool saw_backward = false;
    for (NodeId id = graph->nodes[0].first_child; id != NODE_NONE; id = graph->nodes[id].next) {
        Node *node = &graph->nodes[id];
        if (node->type == NODE_MODULE) {
            bool forward = is_forward(graph, node);
            if (forward && saw_backward) {
                step++;
                saw_backward = false;
            }
            saw_backward = saw_backward || !forward;
        }
        node->micro_step = step;
    }
    graph->micro_steps = step + 1;
}

static void inherit(Graph *graph)
{
    for (uint32_t i = graph->order_count; i-- > 0;) {
        Node *node = &graph->nodes[graph->order[i]];
        if (node->parent != NODE_NONE && node->parent != 0)
            node->micro_step = graph->nodes[node->parent].micro_step;
    }
}

static void take_recorded(Builder *builder)
{
    Graph *graph = builder->graph;
    for (NodeId id = 1; id < graph->count; id++) {
        const ConstructEntry *entry = builder_entry(builder, graph->nodes[id].name);
        if (entry && entry->micro_step > 0)
            graph->nodes[id].micro_step = (uint32_t)entry->micro_step;
    }
    int64_t last = builder->construct->last_micro_step;
    graph->micro_steps = last < UINT32_MAX - 1 ? (uint32_t)last + 1 : 1;
    for (NodeId id = graph->nodes[0].first_child; id != NODE_NONE; id = graph->nodes[id].next) {
        Node *group = &graph->nodes[id];
        if (group->type == NODE_GROUP && group->first_child != NODE_NONE)
            group->micro_step = graph->nodes[group->first_child].micro_step;
    }
}

void micro_steps_number(Builder *builder)
{
    if (builder->construct->last_micro_step >= 0) {
        take_recorded(builder);
        return;
    }
    number_root_children(builder->graph);
    inherit(builder->graph);
}
