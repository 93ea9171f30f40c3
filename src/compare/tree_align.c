// SPDX-License-Identifier: Apache-2.0
#include "compare/tree_align.h"

#include "base/array.h"

typedef struct Aligner {
    Comparison *comparison;
    const Graph *golden, *target;
    uint32_t *pair_of_target;  // by target op: its OpPair
    uint32_t *pair_of_golden;
    NodeId *only_first;  // by golden node: first golden-only child before any matched sibling
    NodeId *only_after;  // by golden node: the golden-only sibling that follows it directly
    uint32_t *last;      // by tree row: its last child so far
} Aligner;

static void index_pairs(Aligner *aligner, Arena *scratch)
{
    const Comparison *comparison = aligner->comparison;
    aligner->pair_of_target = array_of_none(scratch, aligner->target->dump->op_count);
    aligner->pair_of_golden = array_of_none(scratch, aligner->golden->dump->op_count);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        if (comparison->ops[i].target != OP_NONE)
            aligner->pair_of_target[comparison->ops[i].target] = i;
        if (comparison->ops[i].golden != OP_NONE)
            aligner->pair_of_golden[comparison->ops[i].golden] = i;
    }
}

// Chains the golden-only children of every golden node: those before the first matched sibling on
// the parent, the others on the sibling before them.
static void chain_golden_only(Aligner *aligner, Arena *scratch)
{
    const Graph *golden = aligner->golden;
    const NodeId *target_of = aligner->comparison->target_of;
    aligner->only_first = array_of_none(scratch, golden->count);
    aligner->only_after = array_of_none(scratch, golden->count);
    for (NodeId id = 0; id < golden->count; id++) {
        NodeId before = NODE_NONE;
        for (NodeId child = golden->nodes[id].first_child; child != NODE_NONE;
             child = golden->nodes[child].next) {
            if (target_of[child] == NODE_NONE) {
                if (before == NODE_NONE)
                    aligner->only_first[id] = child;
                else
                    aligner->only_after[before] = child;
            }
            before = child;
        }
    }
}

static uint32_t pair_of(const Aligner *aligner, NodeId golden, NodeId target)
{
    if (target != NODE_NONE && aligner->target->nodes[target].op != OP_NONE)
        return aligner->pair_of_target[aligner->target->nodes[target].op];
    if (golden != NODE_NONE && aligner->golden->nodes[golden].op != OP_NONE)
        return aligner->pair_of_golden[aligner->golden->nodes[golden].op];
    return PAIR_NONE;
}

static Status own_status(const Aligner *aligner, const TreeNode *row)
{
    if (row->pair != PAIR_NONE)
        return (Status)aligner->comparison->ops[row->pair].status;
    // A node without data never colours a comparison: two dumps' node sets may differ where their
    // data do not.
    return STATUS_NO_DATA;
}

static uint32_t add_row(Aligner *aligner, NodeId golden, NodeId target, uint32_t parent)
{
    Comparison *comparison = aligner->comparison;
    uint32_t index = comparison->tree_count++;
    TreeNode *row = &comparison->tree[index];
    *row = (TreeNode){.golden = golden,
                      .target = target,
                      .parent = parent,
                      .first_child = PAIR_NONE,
                      .next = PAIR_NONE,
                      .pair = pair_of(aligner, golden, target)};
    row->status = (uint8_t)own_status(aligner, row);
    row->rollup = row->status;
    if (row->pair != PAIR_NONE) {
        row->inherited = comparison->ops[row->pair].inherited;
        row->counts[row->status] = 1;
    }
    if (parent == PAIR_NONE)
        return index;
    row->depth =
        (uint16_t)(comparison->tree[parent].depth < UINT16_MAX ? comparison->tree[parent].depth + 1
                                                               : UINT16_MAX);
    if (aligner->last[parent] == PAIR_NONE)
        comparison->tree[parent].first_child = index;
    else
        comparison->tree[aligner->last[parent]].next = index;
    aligner->last[parent] = index;
    return index;
}

typedef struct Cursor {
    NodeId target, golden;  // what comes next: a target node or a golden-only node
    uint32_t parent;        // row
} Cursor;

typedef struct Stack {
    Cursor *items;
    size_t count;
} Stack;

static void push(Stack *stack, NodeId golden, NodeId target, uint32_t parent)
{
    stack->items[stack->count++] = (Cursor){target, golden, parent};
}

// What is pushed last is drawn first: so the children are pushed after what follows the node.
static void visit_target(Aligner *aligner, Stack *stack, Cursor at)
{
    const Node *node = &aligner->target->nodes[at.target];
    NodeId golden = aligner->comparison->golden_of[at.target];
    uint32_t row = add_row(aligner, golden, at.target, at.parent);
    if (node->next != NODE_NONE && at.target != 0)
        push(stack, NODE_NONE, node->next, at.parent);
    if (golden != NODE_NONE && aligner->only_after[golden] != NODE_NONE && at.target != 0)
        push(stack, aligner->only_after[golden], NODE_NONE, at.parent);
    if (node->first_child != NODE_NONE)
        push(stack, NODE_NONE, node->first_child, row);
    if (golden != NODE_NONE && aligner->only_first[golden] != NODE_NONE)
        push(stack, aligner->only_first[golden], NODE_NONE, row);
}

// Children of a golden-only node that do have a partner stand where the target has them.
static void visit_golden(Aligner *aligner, Stack *stack, Cursor at)
{
    uint32_t row = add_row(aligner, at.golden, NODE_NONE, at.parent);
    if (aligner->only_after[at.golden] != NODE_NONE)
        push(stack, aligner->only_after[at.golden], NODE_NONE, at.parent);
    if (aligner->only_first[at.golden] != NODE_NONE)
        push(stack, aligner->only_first[at.golden], NODE_NONE, row);
}

// Children come after their parents in the array, so one pass from the end adds up the subtrees.
static void roll_up(Comparison *comparison)
{
    for (uint32_t i = comparison->tree_count; i-- > 0;) {
        TreeNode *row = &comparison->tree[i];
        if (row->end == 0)
            row->end = i + 1;
        if (row->parent == PAIR_NONE)
            continue;
        TreeNode *parent = &comparison->tree[row->parent];
        parent->rollup = (uint8_t)status_worst((Status)parent->rollup, (Status)row->rollup);
        for (int s = 0; s < STATUS_COUNT; s++)
            parent->counts[s] += row->counts[s];
        if (parent->end < row->end)
            parent->end = row->end;
    }
}

void align_trees(Comparison *comparison, Arena *arena)
{
    Arena *scratch = arena_new();
    Aligner aligner = {
        .comparison = comparison, .golden = comparison->golden, .target = comparison->target};
    size_t limit = (size_t)aligner.golden->count + aligner.target->count;
    index_pairs(&aligner, scratch);
    chain_golden_only(&aligner, scratch);
    aligner.last = array_of_none(scratch, limit);
    comparison->tree = ARENA_ARRAY(arena, TreeNode, limit);
    comparison->tree_count = 0;
    Stack stack = {.items = ARENA_ARRAY(scratch, Cursor, limit * 2 + 4)};
    push(&stack, 0, 0, PAIR_NONE);
    while (stack.count) {
        Cursor at = stack.items[--stack.count];
        if (at.target != NODE_NONE)
            visit_target(&aligner, &stack, at);
        else
            visit_golden(&aligner, &stack, at);
    }
    roll_up(comparison);
    arena_release(scratch);
}

void align_itself(const Graph *graph, Arena *arena, Comparison *out)
{
    uint32_t ops = graph->dump->op_count;
    NodeId *same = ARENA_ARRAY(arena, NodeId, graph->count);
    *out = (Comparison){.golden = graph,
                        .target = graph,
                        .mode = MODE_STATISTICS,
                        .ops = ARENA_ARRAY(arena, OpPair, ops),
                        .op_count = ops,
                        .golden_of = same,
                        .target_of = same,
                        .arena = arena};
    for (uint32_t i = 0; i < ops; i++)
        out->ops[i] = (OpPair){.golden = i, .target = i};
    for (NodeId id = 0; id < graph->count; id++)
        same[id] = id;
    align_trees(out, arena);
}
