// SPDX-License-Identifier: Apache-2.0
#include "compare/stated_ops.h"

#include "compare/judge/fold.h"

// The side whose list or scope is asked, and the pairs of ops within its scope.
typedef struct Lacking {
    Comparison *out;
    int side;
    const Stated *stated;
    uint32_t from, to;
} Lacking;

static const Op *op_in(const Comparison *out, const OpPair *op, int side)
{
    uint32_t index = op_on_side(op, side);
    return index == OP_NONE ? NULL : &comparison_graph(out, side)->dump->ops[index];
}

static bool is_listed(const Lacking *lacking, int side, const Op *op)
{
    const Graph *graph = comparison_graph(lacking->out, side);
    const Names *names = graph->dump->names;
    if (stated_lists(lacking->stated, names_text(names, op->name), false))
        return true;
    NodeId node = graph_find(graph, op->name);
    while (node != NODE_NONE && (node = graph->nodes[node].parent) != NODE_NONE)
        if (stated_lists(lacking->stated, names_text(names, graph->nodes[node].name), true))
            return true;
    return false;
}

static bool is_kept(const Lacking *lacking, uint32_t index, int side, StatedKey key)
{
    if (key == STATED_SCOPE)
        return index >= lacking->from && index <= lacking->to;
    return is_listed(lacking, side, op_in(lacking->out, &lacking->out->ops[index], side));
}

// Whether the op, or a module around it, is called so.
static bool is_within(const Graph *graph, const Op *op, Str name)
{
    NodeId node = graph_find(graph, op->name);
    if (str_equal(names_text(graph->dump->names, op->name), name))
        return true;
    for (; node != NODE_NONE; node = graph->nodes[node].parent)
        if (str_equal(names_text(graph->dump->names, graph->nodes[node].name), name))
            return true;
    return false;
}

// The ops from the first name of the scope to the second, with what these hold.
static bool find_scope(Lacking *lacking)
{
    Str rest = lacking->stated->values[STATED_SCOPE], first, last;
    bool begun = false, ended = false;
    if (!stated_next(&rest, &first) || !stated_next(&rest, &last))
        return false;
    for (uint32_t i = 0; i < lacking->out->op_count; i++) {
        const Op *op = op_in(lacking->out, &lacking->out->ops[i], lacking->side);
        if (op && !begun && is_within(comparison_graph(lacking->out, lacking->side), op, first)) {
            lacking->from = i;
            begun = true;
        }
        if (op && is_within(comparison_graph(lacking->out, lacking->side), op, last)) {
            lacking->to = i;
            ended = true;
        }
    }
    return begun && ended && lacking->from <= lacking->to;
}

// Whether the dump holds no API call or module that its setting leaves out.
static bool dump_fits(Lacking *lacking, StatedKey key)
{
    if (key == STATED_SCOPE && !find_scope(lacking))
        return false;
    for (uint32_t i = 0; i < lacking->out->op_count; i++) {
        const Op *op = op_in(lacking->out, &lacking->out->ops[i], lacking->side);
        if (op && op->kind < OP_GRADS && !is_kept(lacking, i, lacking->side, key))
            return false;
    }
    return true;
}

static void settle_key(Lacking *lacking, StatedKey key)
{
    Comparison *out = lacking->out;
    int side = lacking->side, other = 1 - side;
    if (!dump_fits(lacking, key)) {
        out->stated_unfit[side] |= (uint8_t)(1U << key);
        return;
    }
    for (uint32_t i = 0; i < out->op_count; i++) {
        OpPair *op = &out->ops[i];
        if (op->status != STATUS_UNMATCHED || op_has_both(op) || op_in(out, op, side) ||
            op_in(out, op, other)->kind == OP_DEBUG || is_kept(lacking, i, other, key))
            continue;
        bool list = key == STATED_LIST;
        if (fold_settle(out, op, list ? RULE_LIST : RULE_SCOPE, list ? ABSENCE_API : ABSENCE_RANGE))
            out->stated_used[side] |= (uint8_t)(1U << key);
        out->listed[side] = out->listed[side] || list;
    }
}

void stated_settle(Comparison *comparison)
{
    for (int side = 0; side < 2; side++) {
        Lacking lacking = {.out = comparison, .side = side, .stated = comparison->stated[side]};
        for (int key = STATED_LIST; key <= STATED_SCOPE && lacking.stated; key++)
            if (stated_has(lacking.stated, (StatedKey)key))
                settle_key(&lacking, (StatedKey)key);
    }
}
