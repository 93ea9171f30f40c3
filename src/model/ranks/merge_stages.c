// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"
#include "model/ranks/merge_layers.h"

// Stages follow each other: what only a later stage has moves into the tree of the first, after
// what it follows there (backward: in front of it); a module that both have gives out what the last
// stage gave, and its backward takes in what the last stage took.

typedef struct Stage {
    MergeTree *tree;
    MergeIndex *index;  // of the tree that grows
    uint32_t root;
    bool layers_only;
    bool layers_at_root;
    uint32_t *image;           // by node of the stage: the node it became; MERGE_NONE: left out
    bool *added;               // by node: it moved into the tree as it is
    uint32_t *before, *after;  // siblings in the stage, while they move
} Stage;

static bool is_api(const MergeTree *tree, uint32_t node)
{
    return tree->items[node].type == NODE_API;
}

// A layer that stands directly below its list: the number is in its id and not in its parent's.
static bool is_layer(const MergeTree *tree, uint32_t node, uint32_t parent, LayerPlace *place)
{
    LayerPlace above;
    return tree->items[node].type == NODE_MODULE && layer_place(merge_name(tree, node), place) &&
           !layer_place(merge_name(tree, parent), &above);
}

// The last (backward: the first) child of `parent` that is a layer of the same list.
static uint32_t layer_beside(const MergeTree *tree, uint32_t parent, Str prefix, bool backward)
{
    const MergeNode *items = tree->items;
    uint32_t at = backward ? items[parent].first_child : items[parent].last_child;
    LayerPlace place;
    for (; at != MERGE_NONE; at = backward ? items[at].next : items[at].previous)
        if (layer_place(merge_name(tree, at), &place) && str_equal(place.prefix, prefix))
            return at;
    return MERGE_NONE;
}

static bool is_placed(const Stage *stage, uint32_t node, uint32_t parent)
{
    return node != MERGE_NONE && stage->image[node] != MERGE_NONE &&
           stage->tree->items[stage->image[node]].parent == parent;
}

// After which child of `parent` it belongs; MERGE_NONE: in front.
static uint32_t place_for(const Stage *stage, uint32_t node, uint32_t parent)
{
    const MergeNode *items = stage->tree->items;
    bool backward = items[node].direction == DIR_BACKWARD;
    uint32_t before = stage->before[node];
    bool follows = is_placed(stage, before, parent);
    LayerPlace place, other;
    bool layer = is_layer(stage->tree, node, parent, &place);
    bool runs_on = layer && follows && stage->added[before] &&
                   layer_place(merge_name(stage->tree, before), &other) &&
                   str_equal(other.prefix, place.prefix);
    if (layer && !runs_on) {
        uint32_t beside = layer_beside(stage->tree, parent, place.prefix, backward);
        if (beside != MERGE_NONE)
            return backward ? items[beside].previous : beside;
    }
    if (follows)
        return stage->image[before];
    for (uint32_t at = stage->after[node]; before == MERGE_NONE && at != MERGE_NONE;
         at = stage->after[at]) {
        uint32_t known = merge_find(stage->index, items[at].name);
        if (known != MERGE_NONE && items[known].parent == parent)
            return items[known].previous;
    }
    return backward ? MERGE_NONE : items[parent].last_child;
}

static void add(Stage *stage, uint32_t node, uint32_t parent)
{
    MergeTree *tree = stage->tree;
    uint32_t after = place_for(stage, node, parent);
    merge_unlink(tree, node);
    merge_link(tree, parent, node, after);
    merge_index_add(tree, stage->index, node);
    stage->image[node] = node;
    stage->added[node] = true;
}

// ---- modules that both stages have

static bool has_side(const MergeNode *node, bool outputs)
{
    for (uint32_t i = 0; i < node->slot_count; i++)
        if ((node->slots[i].group == GROUP_OUTPUT) == outputs)
            return true;
    return false;
}

// The inputs of one node and the outputs of another, in the usual order.
static void take_side(MergeTree *tree, uint32_t node, uint32_t from, bool outputs)
{
    const MergeNode *own = &tree->items[node], *other = &tree->items[from];
    Slot *slots = ARENA_ARRAY(tree->scratch, Slot, (size_t)own->slot_count + other->slot_count);
    uint32_t count = 0;
    for (int side = 0; side < 2; side++)
        for (int kept = 0; kept < 2; kept++) {
            const MergeNode *source = kept ? own : other;
            for (uint32_t i = 0; i < source->slot_count; i++) {
                SlotGroup group = (SlotGroup)source->slots[i].group;
                bool is_output = group == GROUP_OUTPUT;
                bool moves = outputs ? is_output : group == GROUP_INPUT || group == GROUP_KWARGS;
                if (is_output == side && moves != kept)
                    slots[count++] = source->slots[i];
            }
        }
    tree->items[node].slots = slots;
    tree->items[node].slot_count = count;
    tree->items[node].mixed_slots = true;
    merge_index_slots(tree, &tree->items[node]);
    merge_note(tree, node,
               str_printf(tree->arena,
                          outputs ? tr("outputs of rank %lld") : tr("inputs of rank %lld"),
                          (long long)tree->items[from].rank));
}

static void merge_module(Stage *stage, uint32_t node, uint32_t from)
{
    MergeTree *tree = stage->tree;
    const MergeNode *own = &tree->items[node], *other = &tree->items[from];
    if (own->type != NODE_MODULE || own->slot_count == 0 || other->slot_count == 0)
        return;
    bool backward = own->direction == DIR_BACKWARD;
    bool in = merge_side_differs(own, other, false), out = merge_side_differs(own, other, true);
    bool takes = backward ? in && (!out || tree->rules == GRAPH_VERNIER)
                          : out && (!in || tree->rules == GRAPH_VERNIER);
    if (takes && has_side(other, !backward))
        take_side(tree, node, from, !backward);
}

// ---- the walk

static bool same_values(const MergeTree *tree, uint32_t a, uint32_t b)
{
    return !merge_side_differs(&tree->items[a], &tree->items[b], false) &&
           !merge_side_differs(&tree->items[a], &tree->items[b], true);
}

// What msProbe loses: at the root all that is no layer and no group, and next to later virtual
// stages' layers everything.
static bool is_dropped(const Stage *stage, uint32_t node, uint32_t parent)
{
    const MergeTree *tree = stage->tree;
    LayerPlace place;
    if (tree->rules == GRAPH_VERNIER)
        return false;
    bool layer = layer_place(merge_name(tree, node), &place);
    if (stage->layers_only)
        return !layer;
    if (parent != stage->root || stage->layers_at_root)
        return false;
    return !layer && (tree->items[node].type != NODE_GROUP ||
                      str_starts(merge_name(tree, node), STR("Apis_Between_Modules")));
}

static void take_below_added(Stage *stage, uint32_t node)
{
    MergeTree *tree = stage->tree;
    uint32_t known = merge_find(stage->index, tree->items[node].name);
    LayerPlace place;
    uint32_t module = tree->items[node].parent;
    while (module != MERGE_NONE && tree->items[module].type != NODE_MODULE)
        module = tree->items[module].parent;
    bool in_layer = module != MERGE_NONE && layer_place(merge_name(tree, module), &place);
    if (is_api(tree, node) && !stage->layers_only && (in_layer || known != MERGE_NONE))
        merge_mark_rank(tree, node, tree->items[node].mark);
    merge_index_add(tree, stage->index, node);
    stage->image[node] = node;
    stage->added[node] = true;
}

static void take_new(Stage *stage, uint32_t node, uint32_t parent, bool taken)
{
    MergeTree *tree = stage->tree;
    if (is_dropped(stage, node, parent))
        return;
    if (taken && is_api(tree, node)) {
        merge_mark_rank(tree, node, tree->items[node].mark);
        taken = merge_find(stage->index, tree->items[node].name) != MERGE_NONE;
    }
    if (taken) {
        notices_partial(
            tree->notices, tree->where, "%s",
            tr("parallel merge: a node with the id of another one in another place is left "
               "out"));
        return;
    }
    add(stage, node, parent);
    merge_note(tree, node,
               str_printf(tree->arena, tr("from rank %lld"), (long long)tree->items[node].rank));
}

static void take_node(Stage *stage, uint32_t node, uint32_t above)
{
    MergeTree *tree = stage->tree;
    uint32_t parent = stage->image[above];
    if (parent == MERGE_NONE)
        return;
    if (stage->added[above]) {
        take_below_added(stage, node);
        return;
    }
    uint32_t known = merge_find(stage->index, tree->items[node].name);
    bool here = known != MERGE_NONE && tree->items[known].parent == parent;
    bool other_call = here && is_api(tree, node) && tree->rules == GRAPH_VERNIER &&
                      !same_values(tree, known, node);
    if (here && !other_call) {
        stage->image[node] = known;
        merge_module(stage, known, node);
        return;
    }
    take_new(stage, node, parent, known != MERGE_NONE);
}

static void merge_stage(Stage *stage, uint32_t root)
{
    MergeTree *tree = stage->tree;
    MergeList list = merge_list(tree, root);
    uint32_t *above = ARENA_ARRAY(tree->scratch, uint32_t, tree->count);
    stage->image = ARENA_ARRAY(tree->scratch, uint32_t, tree->count);
    stage->added = ARENA_ARRAY(tree->scratch, bool, tree->count);
    stage->before = ARENA_ARRAY(tree->scratch, uint32_t, tree->count);
    stage->after = ARENA_ARRAY(tree->scratch, uint32_t, tree->count);
    for (size_t i = 0; i < list.count; i++) {
        uint32_t node = list.items[i];
        above[node] = tree->items[node].parent;
        stage->before[node] = tree->items[node].previous;
        stage->after[node] = tree->items[node].next;
        stage->image[node] = MERGE_NONE;
    }
    stage->image[root] = stage->root;
    for (size_t i = 1; i < list.count; i++)
        take_node(stage, list.items[i], above[list.items[i]]);
}

void merge_stages(MergeTree *tree, const uint32_t *roots, size_t count, bool layers_only)
{
    if (count < 2)
        return;
    if (tree->rules != GRAPH_VERNIER && !layers_only)
        merge_drop_like_msprobe(tree, roots, count);
    merge_number_layers(tree, roots, count);
    MergeIndex index = merge_index(tree, roots[0]);
    bool layers_at_root = false;
    LayerPlace place;
    for (uint32_t at = tree->items[roots[0]].first_child; at != MERGE_NONE;
         at = tree->items[at].next)
        layers_at_root = layers_at_root || is_layer(tree, at, roots[0], &place);
    for (size_t i = 1; i < count; i++) {
        Stage stage = {.tree = tree,
                       .index = &index,
                       .root = roots[0],
                       .layers_only = layers_only,
                       .layers_at_root = layers_at_root};
        merge_stage(&stage, roots[i]);
    }
}
