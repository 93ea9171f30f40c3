// SPDX-License-Identifier: Apache-2.0
// The build in the order of docs/spec/graph.md §2.4: link what construct.json says, move recomputed
// nodes, fold loose APIs, attach weight gradients, number the micro steps.
#include "model/graph/graph_build.h"

#include "base/words.h"
#include "model/graph/graph_builder.h"
#include "read/dump/op_name.h"

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
// op is lost; under the rules of msProbe it stays outside of the hierarchy.
static void break_cycles(Builder *builder)
{
    Graph *graph = builder->graph;
    bool keep_all = builder->rules == GRAPH_VERNIER;
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
            if (keep_all)
                builder_link(builder, 0, met);
        } else if (met == NODE_NONE && keep_all) {
            for (NodeId id = start; id != NODE_NONE; id = graph->nodes[id].parent)
                if (graph->nodes[id].parent == NODE_NONE && id != 0) {
                    builder_link(builder, 0, id);
                    break;
                }
        }
    }
}

// Ops that construct.json does not know. msProbe leaves them out.
static void add_unknown_ops(Builder *builder)
{
    Graph *graph = builder->graph;
    NodeId group = NODE_NONE;
    for (uint32_t i = 0; i < graph->dump->op_count; i++) {
        const Op *op = &graph->dump->ops[i];
        if (op->kind == OP_GRADS || graph_find(graph, op->name) != NODE_NONE)
            continue;
        if (group == NODE_NONE && !graph->flat) {
            group = builder_group(builder, "Ops_Without_Parent.", 0);
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
            parent = builder_group(builder, "Apis_Between_Modules.", groups++);
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
    const Names *names = graph->dump->names;
    size_t count = names_count(names) + 1;
    NodeId *last = ARENA_ARRAY(builder->scratch, NodeId, count);
    int32_t *call = ARENA_ARRAY(builder->scratch, int32_t, count);
    for (size_t i = 0; i < count; i++)
        last[i] = NODE_NONE;
    for (NodeId id = 1; id < graph->count; id++) {
        if (graph->nodes[id].direction != direction || graph->nodes[id].type != NODE_MODULE)
            continue;
        OpName parts = op_name_call(names, graph->nodes[id].name);
        NameId stem = names_find(names, parts.stem);
        if (stem == NAME_NONE || (last[stem] != NODE_NONE && call[stem] > parts.call))
            continue;
        last[stem] = id;
        call[stem] = parts.call;
    }
    return last;
}

// Weight gradients have no construct key: they go below the last backward call of their module
// (§2.10). Where there is none msProbe drops them; we show them below the last forward call.
static void attach_gradients(Builder *builder)
{
    Graph *graph = builder->graph;
    Names *names = graph->dump->names;
    for (uint32_t i = 0; i < graph->dump->op_count; i++)
        if (graph->dump->ops[i].kind == OP_GRADS)
            names_add(names, op_name_call(names, graph->dump->ops[i].name).stem);
    NodeId *backward = last_calls(builder, DIR_BACKWARD);
    NodeId *forward = builder->rules == GRAPH_VERNIER ? last_calls(builder, DIR_FORWARD) : backward;
    for (uint32_t i = 0; i < graph->dump->op_count; i++) {
        const Op *op = &graph->dump->ops[i];
        if (op->kind != OP_GRADS || graph_find(graph, op->name) != NODE_NONE)
            continue;
        NameId stem = names_find(names, op_name_call(names, op->name).stem);
        NodeId parent = backward[stem] != NODE_NONE ? backward[stem] : forward[stem];
        if (parent == NODE_NONE && builder->rules == GRAPH_MSPROBE)
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
    builder_add(&builder, names_add(dump->names, STR("DefaultModel")), NODE_MODULE);
    index_construct(&builder);
    link_construct(&builder);
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
