// SPDX-License-Identifier: Apache-2.0
#include "layout/focus.h"

#include "layout/outline.h"
#include "read/op_name.h"

static uint32_t worst_row(const Comparison *comparison)
{
    Arena *scratch = arena_new();
    Outline outline;
    Flags flags;
    outline_build(comparison, scratch, &outline);
    flags_find(&outline, &flags);
    uint32_t row = 0;
    for (size_t i = 0; i < flags.count; i++)
        if (flags.items[i].kind == FLAG_LARGEST)
            row = flags.items[i].row;
    arena_release(scratch);
    return row;
}

// 3: the id, 2: the path of a module, 1: a part of the id, 0: none of them.
static int fit(const Graph *graph, NodeId node, Str name)
{
    if (node == NODE_NONE)
        return 0;
    Str id = names_text(graph->dump->names, graph->nodes[node].name);
    if (str_equal(id, name))
        return 3;
    if (str_equal(op_name_parse(id).path, name))
        return 2;
    return str_find(id, name, 0) != SIZE_MAX;
}

uint32_t focus_find(const Comparison *comparison, Str name)
{
    if (!name.size || str_equal(name, STR("first-divergence")))
        return 0;
    if (str_equal(name, STR("worst")))
        return worst_row(comparison);
    uint32_t best = PAIR_NONE;
    int best_fit = 0;
    for (uint32_t row = 1; row < comparison->tree_count && best_fit < 3; row++) {
        const TreeNode *at = &comparison->tree[row];
        int target = fit(comparison->target, at->target, name);
        int golden = fit(comparison->golden, at->golden, name);
        int found = target > golden ? target : golden;
        if (found > best_fit) {
            best_fit = found;
            best = row;
        }
    }
    return best;
}
