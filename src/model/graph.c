// SPDX-License-Identifier: Apache-2.0
#include "model/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "model/graph_build.h"
#include "read/op_name.h"

// The build in the order of spec/graph.md §2.4: link what construct.json says, move recomputed
// nodes, fold loose APIs, attach weight gradients, number the micro steps.

NodeId graph_find(const Graph *graph, NameId name)
{
    return name < graph->name_count ? graph->of_name[name] : NODE_NONE;
}

const ConstructEntry *builder_entry(const Builder *builder, NameId name)
{
    return name < builder->known ? builder->entry_of[name] : NULL;
}

// The peer tests only that a prefix is followed by any one character, and takes all other ids for
// modules (spec/graph.md §2.2).
static NodeType peer_type(Str name)
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

static NodeId add_node(Builder *builder, NameId name, NodeType type)
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
    OpName parts = op_name_parse(text);
    NodeType type = builder->rules == GRAPH_PEER ? peer_type(text)
                    : parts.kind == OP_API       ? NODE_API
                                                 : NODE_MODULE;
    NodeId id = add_node(builder, name, type);
    builder->graph->nodes[id].direction = (uint8_t)parts.direction;
    return id;
}

void builder_link(Builder *builder, NodeId parent, NodeId child)
{
    Node *nodes = builder->graph->nodes;
    if (parent == child || child == 0 || nodes[child].parent != NODE_NONE)
        return;
    nodes[child].parent = parent;
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
    NodeId before = NODE_NONE;
    for (NodeId at = nodes[parent].first_child; at != child; at = nodes[at].next)
        before = at;
    if (before == NODE_NONE)
        nodes[parent].first_child = nodes[child].next;
    else
        nodes[before].next = nodes[child].next;
    if (nodes[parent].last_child == child)
        nodes[parent].last_child = before;
    nodes[child].parent = NODE_NONE;
    nodes[child].next = NODE_NONE;
}

static void index_construct(Builder *builder)
{
    builder->known = names_count(builder->graph->dump->names) + 1;
    builder->entry_of = ARENA_ARRAY(builder->scratch, const ConstructEntry *, builder->known);
    for (uint32_t i = 0; i < builder->construct->count; i++) {
        const ConstructEntry *entry = &builder->construct->entries[i];
        builder->entry_of[entry->child] = entry;
    }
}

static void link_construct(Builder *builder)
{
    for (uint32_t i = 0; i < builder->construct->count; i++) {
        const ConstructEntry *entry = &builder->construct->entries[i];
        NameId parent_name = parent_repair(builder, entry);
        NodeId parent = parent_name == NAME_NONE ? 0 : builder_node(builder, parent_name);
        NodeId child = builder_node(builder, entry->child);
        bool known_parent = parent == 0 || builder_entry(builder, parent_name);
        if (builder->rules == GRAPH_VERNIER && !known_parent)
            builder_link(builder, 0, parent);
        builder_link(builder, parent, child);
    }
}

static void attach_ops(Builder *builder)
{
    Graph *graph = builder->graph;
    for (uint32_t i = 0; i < graph->dump->op_count; i++) {
        NodeId id = graph_find(graph, graph->dump->ops[i].name);
        if (id != NODE_NONE)
            graph->nodes[id].op = i;
    }
}

// Follows the parents of every node. `state` is 0 for unvisited, 1 for reaching the root, else the
// number of the walk that met it.
static uint32_t walk_up(Builder *builder, uint32_t *state, NodeId start, uint32_t walk)
{
    const Node *nodes = builder->graph->nodes;
    NodeId id = start;
    while (id != NODE_NONE && state[id] == 0) {
        state[id] = walk;
        id = nodes[id].parent;
    }
    return id;
}

// Cuts every cycle at the node where the walk closed it and links that node to the root, so that no
// op is lost.
static void break_cycles(Builder *builder)
{
    Graph *graph = builder->graph;
    uint32_t *state = ARENA_ARRAY(builder->scratch, uint32_t, graph->count);
    state[0] = 1;
    for (NodeId start = 1; start < graph->count; start++) {
        uint32_t walk = start + 1;
        NodeId met = walk_up(builder, state, start, walk);
        bool cycle = met != NODE_NONE && met != 0 && state[met] == walk && state[start] == walk;
        if (cycle) {
            notices_add(builder->notices, NOTICE_WARNING, WHERE_FILE(graph->dump->path.data), "%s",
                        tr("construct.json: nodes are their own ancestors; the cycle is cut"));
            builder_unlink(builder, met);
            builder_link(builder, 0, met);
        } else if (met == NODE_NONE) {
            for (NodeId id = start; id != NODE_NONE; id = graph->nodes[id].parent)
                if (graph->nodes[id].parent == NODE_NONE && id != 0) {
                    builder_link(builder, 0, id);
                    break;
                }
        }
    }
}

static NodeId add_group(Builder *builder, const char *prefix, uint32_t number)
{
    Names *names = builder->graph->dump->names;
    Str name = str_printf(builder->scratch, "%s%" PRIu32, prefix, number);
    return add_node(builder, names_add(names, name), NODE_GROUP);
}

// Ops that construct.json does not know. The peer leaves them out.
static void add_unknown_ops(Builder *builder)
{
    Graph *graph = builder->graph;
    NodeId group = NODE_NONE;
    for (uint32_t i = 0; i < graph->dump->op_count; i++) {
        const Op *op = &graph->dump->ops[i];
        if (op->kind == OP_GRADS || graph_find(graph, op->name) != NODE_NONE)
            continue;
        if (group == NODE_NONE && !graph->flat) {
            group = add_group(builder, "Ops_Without_Parent.", 0);
            builder_link(builder, 0, group);
        }
        builder_link(builder, graph->flat ? 0 : group, builder_node(builder, op->name));
    }
}

// Replaces every run of two or more APIs at the root by a group (§2.8).
static void fold_loose_apis(Builder *builder)
{
    Graph *graph = builder->graph;
    NodeId at = graph->nodes[0].first_child;
    graph->nodes[0].first_child = NODE_NONE;
    graph->nodes[0].last_child = NODE_NONE;
    uint32_t groups = 0;
    while (at != NODE_NONE) {
        NodeId end = at;
        uint32_t run = 0;
        for (; end != NODE_NONE && graph->nodes[end].type == NODE_API; end = graph->nodes[end].next)
            run++;
        if (run == 0)
            end = graph->nodes[at].next;
        NodeId parent = 0;
        if (run >= 2) {
            parent = add_group(builder, "Apis_Between_Modules.", groups++);
            builder_link(builder, 0, parent);
        }
        for (NodeId next; at != end; at = next) {
            next = graph->nodes[at].next;
            graph->nodes[at].next = NODE_NONE;
            graph->nodes[at].parent = NODE_NONE;
            builder_link(builder, parent, at);
        }
    }
}

// By NameId of the stem: the node of the last call of a module in one direction.
static NodeId *last_calls(Builder *builder, Direction direction)
{
    Graph *graph = builder->graph;
    Names *names = graph->dump->names;
    for (uint32_t i = 0; i < graph->dump->op_count; i++)
        if (graph->dump->ops[i].kind == OP_GRADS)
            names_add(names, op_name_parse(names_text(names, graph->dump->ops[i].name)).stem);
    size_t count = names_count(names) + 1;
    NodeId *last = ARENA_ARRAY(builder->scratch, NodeId, count);
    int32_t *call = ARENA_ARRAY(builder->scratch, int32_t, count);
    for (size_t i = 0; i < count; i++)
        last[i] = NODE_NONE;
    for (NodeId id = 1; id < graph->count; id++) {
        if (graph->nodes[id].direction != direction || graph->nodes[id].type != NODE_MODULE)
            continue;
        OpName parts = op_name_parse(names_text(names, graph->nodes[id].name));
        NameId stem = names_find(names, parts.stem);
        if (stem == NAME_NONE || (last[stem] != NODE_NONE && call[stem] > parts.call))
            continue;
        last[stem] = id;
        call[stem] = parts.call;
    }
    return last;
}

// Weight gradients have no construct key: they go below the last backward call of their module
// (§2.10). Where there is none the peer drops them; we show them below the last forward call.
static void attach_gradients(Builder *builder)
{
    Graph *graph = builder->graph;
    const Names *names = graph->dump->names;
    NodeId *backward = last_calls(builder, DIR_BACKWARD);
    NodeId *forward = builder->rules == GRAPH_VERNIER ? last_calls(builder, DIR_FORWARD) : backward;
    for (uint32_t i = 0; i < graph->dump->op_count; i++) {
        const Op *op = &graph->dump->ops[i];
        if (op->kind != OP_GRADS || graph_find(graph, op->name) != NODE_NONE)
            continue;
        NameId stem = names_find(names, op_name_parse(names_text(names, op->name)).stem);
        NodeId parent = backward[stem] != NODE_NONE ? backward[stem] : forward[stem];
        if (parent == NODE_NONE && builder->rules == GRAPH_PEER)
            continue;
        NodeId id = builder_node(builder, op->name);
        graph->nodes[id].type = NODE_MODULE;
        builder_link(builder, parent == NODE_NONE ? 0 : parent, id);
    }
}

// Post-order without recursion: a node is written when its last child was.
static void order_nodes(Builder *builder)
{
    Graph *graph = builder->graph;
    Node *nodes = graph->nodes;
    graph->order = ARENA_ARRAY(builder->arena, NodeId, graph->count);
    graph->order_count = 0;
    NodeId id = 0;
    for (;;) {
        while (nodes[id].first_child != NODE_NONE)
            id = nodes[id].first_child;
        for (;;) {
            nodes[id].reachable = true;
            graph->order[graph->order_count++] = id;
            if (id == 0)
                return;
            if (nodes[id].next != NODE_NONE)
                break;
            id = nodes[id].parent;
        }
        id = nodes[id].next;
    }
}

void graph_build(const Dump *dump, const Construct *construct, Stacks *stacks, GraphRules rules,
                 Arena *arena, Graph *out, Notices *notices)
{
    *out = (Graph){.dump = dump, .stacks = stacks, .flat = construct->count == 0};
    Builder builder = {.graph = out,
                       .construct = construct,
                       .rules = rules,
                       .arena = arena,
                       .scratch = arena_new(),
                       .notices = notices};
    add_node(&builder, names_add(dump->names, STR("DefaultModel")), NODE_MODULE);
    index_construct(&builder);
    link_construct(&builder);
    if (rules == GRAPH_VERNIER)
        break_cycles(&builder);
    attach_ops(&builder);
    recompute_move(&builder);
    if (rules == GRAPH_VERNIER)
        add_unknown_ops(&builder);
    if (!out->flat)
        fold_loose_apis(&builder);
    attach_gradients(&builder);
    attach_ops(&builder);
    order_nodes(&builder);
    micro_steps_number(&builder);
    arena_release(builder.scratch);
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
    OpName parts = op_name_parse(name);
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
