// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph.h"

#include "read/dump/op_name.h"

NodeId graph_find(const Graph *graph, NameId name)
{
    return name < graph->name_count ? graph->of_name[name] : NODE_NONE;
}

// Backward nodes without a stack borrow that of their forward twin; of modules that of call 0.
const StackFrames *graph_stack(const Graph *graph, NodeId id)
{
    const Node *node = &graph->nodes[id];
    if (graph->origins) {
        const NodeOrigin *origin = &graph->origins[id];
        return origin->graph ? graph_stack(origin->graph, origin->node) : NULL;
    }
    if (!graph->stacks || node->type == NODE_GROUP || id == 0)
        return NULL;
    const StackFrames *own = stacks_find(graph->stacks, node->name);
    if (own || node->direction != DIR_BACKWARD)
        return own;
    Arena *scratch = arena_new();
    const Names *names = graph->dump->names;
    Str name = names_text(names, node->name);
    OpName parts = op_name_of(names, node->name);
    Str twin = parts.kind == OP_MODULE
                   ? str_printf(scratch, STR_FMT ".forward.0", STR_ARG(parts.stem))
                   : str_replace(scratch, name, STR("backward"), STR("forward"));
    NameId twin_id = names_find(names, twin);
    arena_release(scratch);
    return twin_id == NAME_NONE ? NULL : stacks_find(graph->stacks, twin_id);
}

const StackFrames *graph_op_stack(const Graph *graph, uint32_t op)
{
    NameId name = graph->dump->ops[op].name;
    NodeId node = graph_find(graph, name);
    if (node != NODE_NONE)
        return graph_stack(graph, node);
    return graph->stacks ? stacks_find(graph->stacks, name) : NULL;
}

void graph_read_stacks(const Graph *graph)
{
    if (graph->stacks)
        stacks_find(graph->stacks, NAME_NONE);
    const Graph *last = NULL;
    for (size_t i = 0; graph->origins && i < graph->count; i++) {
        const Graph *rank = graph->origins[i].graph;
        if (rank && rank != last && rank->stacks)
            stacks_find(rank->stacks, NAME_NONE);
        last = rank;
    }
}
