// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph_builder.h"

#include <inttypes.h>
#include <string.h>

#include "read/dump/op_name.h"

const ConstructEntry *builder_entry(const Builder *builder, NameId name)
{
    return name < builder->known ? builder->entry_of[name] : NULL;
}

// msProbe tests only that a prefix is followed by any one character, and takes all other ids for
// modules (docs/spec/graph.md §2.2).
static NodeType msprobe_type(Str name)
{
    static const char *const apis[] = {"Tensor",    "Torch",       "Functional",     "NPU",
                                       "VF",        "Distributed", "Aten",           "Mint",
                                       "Primitive", "Jit",         "MintFunctional", "MindSpeed"};
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        if (str_starts(name, str_of(apis[i])) && name.size > strlen(apis[i]))
            return NODE_API;
    return NODE_MODULE;
}

static void grow_name_table(Builder *builder, NameId name)
{
    Graph *graph = builder->graph;
    if (name < graph->name_count)
        return;
    size_t count = (size_t)name + 256;
    graph->of_name = arena_grow(builder->arena, graph->of_name, graph->name_count * sizeof(NodeId),
                                count * sizeof(NodeId));
    for (size_t i = graph->name_count; i < count; i++)
        graph->of_name[i] = NODE_NONE;
    graph->name_count = count;
}

NodeId builder_add(Builder *builder, NameId name, NodeType type)
{
    Graph *graph = builder->graph;
    grow_name_table(builder, name);
    if (graph->count == graph->capacity) {
        uint32_t capacity = graph->capacity ? graph->capacity * 2 : 64;
        graph->nodes = arena_grow(builder->arena, graph->nodes, graph->capacity * sizeof(Node),
                                  capacity * sizeof(Node));
        graph->capacity = capacity;
    }
    NodeId id = graph->count++;
    graph->nodes[id] = (Node){.name = name,
                              .parent = NODE_NONE,
                              .first_child = NODE_NONE,
                              .last_child = NODE_NONE,
                              .previous = NODE_NONE,
                              .next = NODE_NONE,
                              .op = OP_NONE,
                              .type = (uint8_t)type};
    graph->of_name[name] = id;
    return id;
}

NodeId builder_node(Builder *builder, NameId name)
{
    NodeId known = graph_find(builder->graph, name);
    if (known != NODE_NONE)
        return known;
    Str text = names_text(builder->graph->dump->names, name);
    OpName parts = op_name_call(builder->graph->dump->names, name);
    NodeType type = builder->rules == GRAPH_MSPROBE ? msprobe_type(text)
                    : parts.kind == OP_API          ? NODE_API
                                                    : NODE_MODULE;
    NodeId id = builder_add(builder, name, type);
    builder->graph->nodes[id].direction = (uint8_t)parts.direction;
    return id;
}

void builder_link(Builder *builder, NodeId parent, NodeId child)
{
    Node *nodes = builder->graph->nodes;
    if (parent == child || child == 0 || nodes[child].parent != NODE_NONE)
        return;
    nodes[child].parent = parent;
    nodes[child].previous = nodes[parent].last_child;
    if (nodes[parent].last_child == NODE_NONE)
        nodes[parent].first_child = child;
    else
        nodes[nodes[parent].last_child].next = child;
    nodes[parent].last_child = child;
}

void builder_unlink(Builder *builder, NodeId child)
{
    Node *nodes = builder->graph->nodes;
    NodeId parent = nodes[child].parent;
    NodeId before = nodes[child].previous, behind = nodes[child].next;
    if (before == NODE_NONE)
        nodes[parent].first_child = behind;
    else
        nodes[before].next = behind;
    if (behind == NODE_NONE)
        nodes[parent].last_child = before;
    else
        nodes[behind].previous = before;
    nodes[child].parent = NODE_NONE;
    nodes[child].previous = nodes[child].next = NODE_NONE;
}

NodeId builder_group(Builder *builder, const char *prefix, uint32_t number)
{
    Names *names = builder->graph->dump->names;
    Str name = str_printf(builder->scratch, "%s%" PRIu32, prefix, number);
    return builder_add(builder, names_add(names, name), NODE_GROUP);
}
