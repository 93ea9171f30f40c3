// SPDX-License-Identifier: Apache-2.0
#include "model/ranks/merge_layers.h"

// msProbe walks down the first stage, through modules that all stages have, and adds the children
// that exactly one other stage has. With two stages that is every child of the second; with more, a
// child of several later stages is lost, and so is what a stage has below a module that not all
// have.

typedef struct Walk {
    MergeTree *tree;
    const uint32_t *roots;
    MergeIndex *indexes;  // one per stage
    size_t count;
    MergeList common;  // modules of the first stage that all stages have, still to be looked into
    MergeList lost;
} Walk;

// The node of that name below `parent` of the first stage, in another stage.
static uint32_t counterpart(const Walk *walk, size_t stage, NameId name, uint32_t parent)
{
    const MergeNode *items = walk->tree->items;
    uint32_t node = merge_find(&walk->indexes[stage], name);
    if (node == MERGE_NONE || items[node].parent == MERGE_NONE)
        return MERGE_NONE;
    bool at_root = parent == walk->roots[0];
    uint32_t above = items[node].parent;
    bool fits = at_root ? above == walk->roots[stage] : items[above].name == items[parent].name;
    return fits ? node : MERGE_NONE;
}

// The layers of the stages are distinguished by new numbers: none is lost.
static bool is_split(const Walk *walk, uint32_t node, NameId name, uint32_t parent)
{
    const MergeNode *items = walk->tree->items;
    LayerPlace place;
    if (!layer_place(merge_name(walk->tree, node), &place))
        return false;
    for (size_t stage = 1; stage < walk->count; stage++) {
        uint32_t other = counterpart(walk, stage, name, parent);
        if (other != MERGE_NONE && merge_side_differs(&items[node], &items[other], false) &&
            merge_side_differs(&items[node], &items[other], true))
            return true;
    }
    return false;
}

static size_t holders(const Walk *walk, NameId name, uint32_t parent)
{
    size_t count = 0;
    for (size_t stage = 1; stage < walk->count; stage++)
        count += counterpart(walk, stage, name, parent) != MERGE_NONE;
    return count;
}

// A child of a later stage, below a module that all have.
static void look_at(Walk *walk, uint32_t node, uint32_t parent)
{
    const MergeNode *items = walk->tree->items;
    NameId name = items[node].name;
    if (items[node].type == NODE_GROUP)
        return;
    bool first = counterpart(walk, 0, name, parent) != MERGE_NONE;
    size_t others = holders(walk, name, parent);
    if (first ? others < walk->count - 1 : others > 1)
        *ARRAY_PUSH(walk->tree->scratch, &walk->lost) = node;
}

static void look_into(Walk *walk, uint32_t parent)
{
    const MergeNode *items = walk->tree->items;
    for (uint32_t at = items[parent].first_child; at != MERGE_NONE; at = items[at].next)
        if (items[at].type == NODE_MODULE &&
            holders(walk, items[at].name, parent) == walk->count - 1 &&
            !is_split(walk, at, items[at].name, parent))
            *ARRAY_PUSH(walk->tree->scratch, &walk->common) = at;
    for (size_t stage = 1; stage < walk->count; stage++) {
        uint32_t own = parent == walk->roots[0]
                           ? walk->roots[stage]
                           : merge_find(&walk->indexes[stage], items[parent].name);
        for (uint32_t at = items[own].first_child; at != MERGE_NONE; at = items[at].next)
            look_at(walk, at, parent);
    }
}

void merge_drop_like_msprobe(MergeTree *tree, const uint32_t *roots, size_t count)
{
    if (count < 3)
        return;
    Walk walk = {.tree = tree, .roots = roots, .count = count};
    walk.indexes = ARENA_ARRAY(tree->scratch, MergeIndex, count);
    for (size_t stage = 0; stage < count; stage++)
        walk.indexes[stage] = merge_index(tree, roots[stage]);
    *ARRAY_PUSH(tree->scratch, &walk.common) = roots[0];
    for (size_t i = 0; i < walk.common.count; i++)
        look_into(&walk, walk.common.items[i]);
    for (size_t i = 0; i < walk.lost.count; i++)
        merge_unlink(tree, walk.lost.items[i]);
}
