// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"
#include "model/ops/op_traits.h"
#include "model/ranks/merge_tree.h"
#include "read/dump/op_name.h"

// Tensor parallel ranks hold shares of the same tensors. A node of the first rank takes the values
// of the nodes with its id and ancestors on all others; where they are equal each rank has the
// whole tensor. What a row-parallel layer multiplies is complete only after its reduction.

typedef struct Shares {
    MergeTree *tree;
    const uint32_t *roots;
    size_t others;  // trees next to the first
    MergeIndex *indices;
    uint32_t *partners;  // others by node of the first tree; MERGE_NONE
    const Slot **slots;  // scratch of one slot on the others
    int64_t *ranks;
    uint32_t layer;        // whose reductions are listed
    uint32_t *reductions;  // among its children
    size_t reduction_count;
} Shares;

// More reductions than any layer has.
#define REDUCTIONS_MAX 64

static uint32_t *partners_of(const Shares *shares, uint32_t node)
{
    return &shares->partners[node * shares->others];
}

static void find_partners(Shares *shares, const MergeList *list)
{
    const MergeTree *tree = shares->tree;
    size_t count = tree->count * shares->others;
    shares->partners = ARENA_ARRAY(tree->scratch, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        shares->partners[i] = MERGE_NONE;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t node = list->items[i], parent = tree->items[node].parent;
        for (size_t other = 0; other < shares->others; other++) {
            uint32_t found = i == 0 ? shares->roots[other + 1]
                                    : merge_find(&shares->indices[other], tree->items[node].name);
            if (i > 0 && found != MERGE_NONE &&
                tree->items[found].parent != partners_of(shares, parent)[other])
                found = MERGE_NONE;
            partners_of(shares, node)[other] = found;
        }
    }
}

static bool is_everywhere(const Shares *shares, uint32_t node)
{
    for (size_t i = 0; i < shares->others; i++)
        if (partners_of(shares, node)[i] == MERGE_NONE)
            return false;
    return true;
}

static bool is_skipped(const MergeTree *tree, uint32_t node)
{
    const MergeNode *at = &tree->items[node];
    if (at->parent == MERGE_NONE || tree->items[at->parent].type != NODE_MODULE)
        return true;
    Str above = merge_name(tree, at->parent);
    return str_equal(above, STR("optimizer")) || str_equal(above, STR("clip_grad")) ||
           merge_is_communication(merge_name(tree, node));
}

// The slot on all other ranks, in `shares->slots`. False if one of them does not have it.
static bool gather(Shares *shares, uint32_t node, uint32_t slot)
{
    const MergeTree *tree = shares->tree;
    for (size_t i = 0; i < shares->others; i++) {
        uint32_t partner = partners_of(shares, node)[i];
        shares->slots[i] = partner == MERGE_NONE
                               ? NULL
                               : merge_slot_like(&tree->items[partner], &tree->items[node], slot);
        if (!shares->slots[i])
            return false;
    }
    return true;
}

static bool all_equal(const Shares *shares, const Slot *own)
{
    for (size_t i = 0; i < shares->others; i++)
        if (!merge_slots_equal(own, shares->slots[i]))
            return false;
    return true;
}

static void merge_one(Shares *shares, uint32_t node, uint32_t slot, bool even_if_equal)
{
    MergeTree *tree = shares->tree;
    const Slot *own = &tree->items[node].slots[slot];
    if (!merge_takes_part(tree, own))
        return;
    if (!gather(shares, node, slot)) {
        if (tree->rules == GRAPH_VERNIER)
            notices_add(tree->notices, NOTICE_WARNING, tree->where, "%s",
                        tr("parallel merge: a tensor is missing on another rank of its "
                           "tensor-parallel group; the values of the first rank are used"));
        return;
    }
    if (even_if_equal || !all_equal(shares, own))
        merge_slot_values(tree, node, slot, shares->slots, shares->ranks, NULL, shares->others);
}

static bool is_output(const Slot *slot)
{
    return slot->group == GROUP_OUTPUT;
}

// ---- rule (a): the product of a row-parallel layer is known after its reduction only

static bool is_matmul(const MergeTree *tree, uint32_t node)
{
    Str api = merge_api(merge_name(tree, node));
    api = str_slice(api, 0, str_find(api, STR("_rank"), 0));
    return tree->items[node].type == NODE_API &&
           (tree->rules == GRAPH_MSPROBE ? str_equal(api, STR("matmul"))
                                         : (op_traits(api) & OP_MATMUL) != 0);
}

static bool ends_with_class(const MergeTree *tree, uint32_t node, const char *type,
                            Direction direction)
{
    if (tree->items[node].type != NODE_MODULE || tree->items[node].direction != direction)
        return false;
    return str_ends(op_name_of(tree->names, tree->items[node].name).type_name, str_of(type));
}

static bool is_row_product(const MergeTree *tree, uint32_t node)
{
    return ends_with_class(tree, node, "RowParallelLinear", DIR_FORWARD) ||
           ends_with_class(tree, node, "ColumnParallelLinear", DIR_BACKWARD);
}

// Number `wanted` among the slots of the inputs or outputs, SLOT_COUNT without.
static uint32_t nth_slot(const MergeNode *node, bool output, uint32_t wanted)
{
    for (uint32_t i = 0; i < node->slot_count; i++) {
        const Slot *slot = &node->slots[i];
        bool fits =
            output ? is_output(slot) : slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (fits && wanted-- == 0)
            return i;
    }
    return MERGE_NONE;
}

static bool is_scatter(const MergeTree *tree, uint32_t node)
{
    return str_find(merge_api(merge_name(tree, node)), STR("reduce_scatter"), 0) != SIZE_MAX;
}

static void list_reductions(Shares *shares, uint32_t layer)
{
    const MergeTree *tree = shares->tree;
    if (shares->layer == layer)
        return;
    shares->layer = layer;
    shares->reduction_count = 0;
    for (uint32_t at = tree->items[layer].first_child;
         at != MERGE_NONE && shares->reduction_count < REDUCTIONS_MAX; at = tree->items[at].next)
        if (is_scatter(tree, at) ||
            str_find(merge_api(merge_name(tree, at)), STR("all_reduce"), 0) != SIZE_MAX)
            shares->reductions[shares->reduction_count++] = at;
}

// The reduction among the children of `layer` that takes what `product` gave.
static uint32_t reduction_of(Shares *shares, uint32_t layer, const Slot *product)
{
    const MergeTree *tree = shares->tree;
    list_reductions(shares, layer);
    for (size_t i = 0; i < shares->reduction_count; i++) {
        uint32_t at = shares->reductions[i];
        uint32_t given = nth_slot(&tree->items[at], false, is_scatter(tree, at) ? 1 : 0);
        if (given != MERGE_NONE && merge_slots_identical(&tree->items[at].slots[given], product))
            return at;
    }
    return MERGE_NONE;
}

// Of a scatter each rank got a share, so the whole is theirs together; msProbe takes the first
// rank's.
static void complete_share(Shares *shares, uint32_t reduction, uint32_t slot)
{
    const MergeTree *tree = shares->tree;
    Str api = merge_api(merge_name(tree, reduction));
    if (tree->rules == GRAPH_MSPROBE || str_find(api, STR("scatter"), 0) == SIZE_MAX ||
        tree->items[reduction].merged || !gather(shares, reduction, slot))
        return;
    merge_slot_values(shares->tree, reduction, slot, shares->slots, shares->ranks, NULL,
                      shares->others);
}

static bool take_reduction(Shares *shares, uint32_t node)
{
    MergeTree *tree = shares->tree;
    uint32_t layer = tree->items[node].parent;
    uint32_t output = nth_slot(&tree->items[node], true, 0);
    if (output == MERGE_NONE || !is_matmul(tree, node) || !is_row_product(tree, layer))
        return false;
    uint32_t reduction = reduction_of(shares, layer, &tree->items[node].slots[output]);
    uint32_t result =
        reduction == MERGE_NONE ? MERGE_NONE : nth_slot(&tree->items[reduction], true, 0);
    if (result == MERGE_NONE)
        return false;
    complete_share(shares, reduction, result);
    Slot *own = &tree->items[node].slots[output];
    const Slot *whole = &tree->items[reduction].slots[result];
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        own->tag[stat] = whole->tag[stat];
        own->stat[stat] = whole->stat[stat];
    }
    tree->items[node].merged = true;
    merge_note(tree, node,
               str_printf(tree->arena, tr(STR_FMT ".output.0: that of " STR_FMT),
                          STR_ARG(merge_name(tree, node)), STR_ARG(merge_name(tree, reduction))));
    return true;
}

// ---- rule (b): between a column-parallel and a row-parallel layer every tensor is a share

static bool is_left(const MergeTree *tree, uint32_t first, uint32_t node, const Slot *slot)
{
    uint32_t layer = is_matmul(tree, node) ? tree->items[node].parent : node;
    bool product = layer != node;
    if (layer == first)
        return slot->group == GROUP_INPUT &&
               str_equal(names_text(tree->names, slot->path), STR("input.0"));
    if (!ends_with_class(tree, layer, "RowParallelLinear", DIR_FORWARD))
        return false;
    return is_output(slot) || (!product && slot->group == GROUP_PARAMETERS &&
                               str_ends(names_text(tree->names, slot->path), STR("bias")));
}

static void merge_span_node(Shares *shares, uint32_t first, uint32_t node)
{
    MergeTree *tree = shares->tree;
    if (tree->items[node].merged || !is_everywhere(shares, node) ||
        merge_is_communication(merge_name(tree, node)))
        return;
    for (uint32_t i = 0; i < tree->items[node].slot_count; i++)
        if (!is_left(tree, first, node, &tree->items[node].slots[i]))
            merge_one(shares, node, i, true);
}

// Equal statistics are far more often a tensor that each rank has as a whole than shares that
// happen to be equal, so only msProbe's rules merge them.
static void merge_spans(Shares *shares, const MergeList *list)
{
    MergeTree *tree = shares->tree;
    bool *spanned = ARENA_ARRAY(tree->scratch, bool, tree->count);
    for (size_t i = 1; i < list->count; i++) {
        uint32_t first = list->items[i], last = MERGE_NONE;
        if (!ends_with_class(tree, first, "ColumnParallelLinear", DIR_FORWARD) ||
            spanned[tree->items[first].parent])
            continue;
        spanned[tree->items[first].parent] = true;
        for (uint32_t at = tree->items[first].next; at != MERGE_NONE; at = tree->items[at].next)
            if (ends_with_class(tree, at, "RowParallelLinear", DIR_FORWARD))
                last = at;
        for (uint32_t at = first; last != MERGE_NONE; at = tree->items[at].next) {
            MergeList below = merge_list(tree, at);
            for (size_t j = 0; j < below.count; j++)
                merge_span_node(shares, first, below.items[j]);
            if (at == last)
                break;
        }
    }
}

// ----

static void merge_node(Shares *shares, uint32_t node)
{
    MergeTree *tree = shares->tree;
    if (is_skipped(tree, node) || tree->items[node].merged)
        return;
    if (!is_everywhere(shares, node)) {
        if (tree->rules == GRAPH_VERNIER && tree->items[node].slot_count)
            notices_add(tree->notices, NOTICE_WARNING, tree->where, "%s",
                        tr("parallel merge: a node is not on every rank of its tensor-parallel "
                           "group; the values of the first rank are used"));
        return;
    }
    bool reduced = take_reduction(shares, node);
    for (uint32_t i = 0; i < tree->items[node].slot_count; i++)
        if (!reduced || !is_output(&tree->items[node].slots[i]))
            merge_one(shares, node, i, false);
}

// Nodes that only the other ranks have are not in the merged graph.
static void count_strangers(const Shares *shares)
{
    const MergeTree *tree = shares->tree;
    MergeIndex own = merge_index(shares->tree, shares->roots[0]);
    for (size_t other = 0; tree->rules == GRAPH_VERNIER && other < shares->others; other++) {
        MergeList list = merge_list(shares->tree, shares->roots[other + 1]);
        for (size_t i = 0; i < list.count; i++) {
            const MergeNode *node = &tree->items[list.items[i]];
            bool grouped = node->parent != MERGE_NONE && node->type == NODE_API &&
                           tree->items[node->parent].type == NODE_GROUP;
            if (node->type != NODE_GROUP && !grouped && merge_find(&own, node->name) == MERGE_NONE)
                notices_partial(
                    tree->notices, tree->where, "%s",
                    tr("parallel merge: a node that the first rank of the tensor-parallel "
                       "group does not have is left out"));
        }
    }
}

void merge_tensor_shares(MergeTree *tree, const uint32_t *roots, size_t count)
{
    if (count < 2)
        return;
    Shares shares = {.tree = tree, .roots = roots, .others = count - 1, .layer = MERGE_NONE};
    shares.reductions = ARENA_ARRAY(tree->scratch, uint32_t, REDUCTIONS_MAX);
    shares.indices = ARENA_ARRAY(tree->scratch, MergeIndex, count);
    shares.slots = ARENA_ARRAY(tree->scratch, const Slot *, count);
    shares.ranks = ARENA_ARRAY(tree->scratch, int64_t, count);
    for (size_t i = 0; i < count; i++)
        shares.ranks[i] = tree->items[roots[i]].rank;
    for (size_t i = 1; i < count; i++)
        shares.indices[i - 1] = merge_index(tree, roots[i]);
    MergeList list = merge_list(tree, roots[0]);
    find_partners(&shares, &list);
    for (size_t i = 1; i < list.count; i++)
        merge_node(&shares, list.items[i]);
    if (tree->rules == GRAPH_MSPROBE)
        merge_spans(&shares, &list);
    count_strangers(&shares);
}
