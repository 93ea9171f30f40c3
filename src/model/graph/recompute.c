// SPDX-License-Identifier: Apache-2.0
#include "base/array.h"
#include "model/graph/graph_builder.h"
#include "read/dump/op_name.h"

// Activation checkpointing runs a module's forward again while its backward runs; the dump lists
// those calls at the root. They belong below the backward of the module that encloses the original
// (docs/spec/graph.md §2.9).

static bool is_recompute_frame(const StackFrames *stack, uint32_t at)
{
    Frame frame;
    if (!frame_parse(stack->frames[at], &frame))
        return false;
    if (str_equal(frame.function, STR("recompute_fn")))
        return str_ends(frame.file, STR("torch/utils/checkpoint.py"));
    bool backward = str_equal(frame.function, STR("backward")) ||
                    (str_equal(frame.function, STR("checkpoint_function_backward")) &&
                     str_find(frame.file, STR("megatron"), 0) != SIZE_MAX);
    for (uint32_t i = at + 1; backward && i < stack->count && i <= at + 2; i++) {
        Frame outer;
        if (frame_parse(stack->frames[i], &outer) &&
            str_ends(outer.file, STR("torch/autograd/function.py")))
            return true;
    }
    return false;
}

static bool stack_shows_recompute(const Builder *builder, NodeId id)
{
    const Graph *graph = builder->graph;
    const Node *node = &graph->nodes[id];
    NameId asked = node->direction == DIR_BACKWARD ? twin_name(builder, node->name) : node->name;
    const StackFrames *stack =
        asked == NAME_NONE || !graph->stacks ? NULL : stacks_find(graph->stacks, asked);
    for (uint32_t i = 0; stack && i < stack->count; i++)
        if (is_recompute_frame(stack, i))
            return true;
    return false;
}

static bool is_number(Str text)
{
    uint64_t value;
    return str_to_uint64(text, &value);
}

// A name too long for a child of the root. Parts are counted from 1: "Module.0.model.GPT.forward.0"
// has 6, and part 2 is the number of the model in a list of models.
static bool looks_too_deep(Str name)
{
    Str part, second = {0}, fourth = {0};
    int count = 0;
    while (str_split(&name, '.', &part)) {
        count++;
        if (count == 2)
            second = part;
        if (count == 4)
            fourth = part;
    }
    if (count == 7)
        return !(is_number(second) && is_number(fourth));
    return count > 7 || (count == 6 && !is_number(second));
}

static bool is_root_child(const Graph *graph, NameId name)
{
    NodeId id = name == NAME_NONE ? NODE_NONE : graph_find(graph, name);
    return id != NODE_NONE && graph->nodes[id].parent == 0;
}

static bool is_recomputed(const Builder *builder, NodeId id)
{
    const Graph *graph = builder->graph;
    const Node *node = &graph->nodes[id];
    if (node->type != NODE_MODULE || node->direction == DIR_NONE)
        return false;
    if (!looks_too_deep(names_text(graph->dump->names, node->name)))
        return false;
    if (!is_root_child(graph, twin_name(builder, node->name)))
        return false;
    Framework framework = graph->dump->framework;
    if (framework == FRAMEWORK_MINDSPORE || framework == FRAMEWORK_MINDTORCH)
        return true;
    bool flagged = builder->rules == GRAPH_VERNIER && node->op != OP_NONE &&
                   graph->dump->ops[node->op].recompute == TRI_TRUE;
    return flagged || stack_shows_recompute(builder, id);
}

// The originals of one module: its forward nodes that are not at the root, in creation order, and
// how many of them recomputed forwards and backwards have taken.
typedef struct Originals {
    NodeId *items;
    size_t count, capacity;
    size_t taken[2];
} Originals;

typedef struct Moves {
    NodeId *items;
    size_t count, capacity;
} Moves;

static NameId stem_of(const Builder *builder, NodeId id)
{
    Names *names = builder->graph->dump->names;
    return names_find(names, op_name_of(names, builder->graph->nodes[id].name).stem);
}

// By NameId of the stem; only stems of recomputed nodes get a list.
static Originals **collect_originals(Builder *builder, const Moves *moves)
{
    Graph *graph = builder->graph;
    Names *names = graph->dump->names;
    for (size_t i = 0; i < moves->count; i++)
        names_add(names, op_name_of(names, graph->nodes[moves->items[i]].name).stem);
    Originals **lists = ARENA_ARRAY(builder->scratch, Originals *, names_count(names) + 1);
    for (size_t i = 0; i < moves->count; i++) {
        NameId stem = stem_of(builder, moves->items[i]);
        if (!lists[stem])
            lists[stem] = ARENA_NEW(builder->scratch, Originals);
    }
    for (NodeId id = 1; id < graph->count; id++) {
        const Node *node = &graph->nodes[id];
        if (node->type != NODE_MODULE || node->direction != DIR_FORWARD || node->parent == 0 ||
            node->parent == NODE_NONE)
            continue;
        NameId stem = stem_of(builder, id);
        if (stem != NAME_NONE && lists[stem])
            *ARRAY_PUSH(builder->scratch, lists[stem]) = id;
    }
    return lists;
}

// By node: one above it, or itself where none but the root is.
static NodeId *list_above(const Builder *builder)
{
    const Graph *graph = builder->graph;
    NodeId *above = ARENA_ARRAY(builder->scratch, NodeId, graph->count);
    for (NodeId id = 0; id < graph->count; id++) {
        NodeId parent = graph->nodes[id].parent;
        above[id] = parent == 0 || parent == NODE_NONE ? id : parent;
    }
    return above;
}

// The topmost node above; the ways there are shortened.
static NodeId topmost(NodeId *above, NodeId id)
{
    while (above[id] != id)
        id = above[id] = above[above[id]];
    return id;
}

static void move(Builder *builder, NodeId id, Originals *originals, NodeId *above)
{
    Graph *graph = builder->graph;
    size_t *taken = &originals->taken[graph->nodes[id].direction == DIR_BACKWARD];
    if (*taken == originals->count)
        return;
    NodeId original = originals->items[(*taken)++];
    NameId parent_name = graph->nodes[graph->nodes[original].parent].name;
    NameId backward = twin_name(builder, parent_name);
    NodeId parent = backward == NAME_NONE ? NODE_NONE : graph_find(graph, backward);
    if (parent == NODE_NONE || graph->nodes[parent].direction != DIR_BACKWARD ||
        topmost(above, parent) == id)
        return;
    builder_unlink(builder, id);
    builder_link(builder, parent, id);
    above[id] = parent;
}

void recompute_move(Builder *builder)
{
    Graph *graph = builder->graph;
    Moves moves = {0};
    for (NodeId id = graph->nodes[0].first_child; id != NODE_NONE; id = graph->nodes[id].next)
        if (is_recomputed(builder, id))
            *ARRAY_PUSH(builder->scratch, &moves) = id;
    if (moves.count == 0)
        return;
    Originals **lists = collect_originals(builder, &moves);
    NodeId *above = list_above(builder);
    for (size_t i = 0; i < moves.count; i++)
        move(builder, moves.items[i], lists[stem_of(builder, moves.items[i])], above);
}
