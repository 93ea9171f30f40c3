// SPDX-License-Identifier: Apache-2.0
#include "model/ranks/merge_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

static uint64_t key_of(const Slot *slot)
{
    return (uint64_t)slot->path << 8 | slot->group;
}

static int by_key(const void *a, const void *b)
{
    const MergePlace *one = a, *two = b;
    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return (one->slot > two->slot) - (one->slot < two->slot);
}

void merge_index_slots(MergeTree *tree, MergeNode *node)
{
    enum { FEW = 16 };
    node->places = NULL;
    if (node->slot_count <= FEW)
        return;
    MergePlace *places = ARENA_ARRAY(tree->scratch, MergePlace, node->slot_count);
    for (uint32_t i = 0; i < node->slot_count; i++)
        places[i] = (MergePlace){key_of(&node->slots[i]), i};
    qsort(places, node->slot_count, sizeof *places, by_key);
    node->places = places;
}

Slot *merge_slot_like(const MergeNode *node, const MergeNode *like, uint32_t index)
{
    size_t at;
    uint64_t wanted = key_of(&like->slots[index]);
    if (index < node->slot_count && key_of(&node->slots[index]) == wanted)
        return &node->slots[index];
    if (node->places) {
        FIND_FIRST(at, node->slot_count, node->places[at].key < wanted);
        bool found = at < node->slot_count && node->places[at].key == wanted;
        return found ? &node->slots[node->places[at].slot] : NULL;
    }
    for (uint32_t i = 0; i < node->slot_count; i++)
        if (key_of(&node->slots[i]) == wanted)
            return &node->slots[i];
    return NULL;
}

static void copy_slots(MergeTree *tree, const Dump *dump, uint32_t op, MergeNode *node)
{
    uint32_t count = op == OP_NONE ? 0 : dump->ops[op].slot_count;
    Slot *slots = ARENA_ARRAY(tree->scratch, Slot, (size_t)count + 1);
    if (count)
        memcpy(slots, &dump->slots[dump->ops[op].first_slot], count * sizeof *slots);
    for (uint32_t i = 0; i < count; i++)
        slots[i].checksum = slots[i].data_name = NAME_NONE;
    node->slots = slots;
    node->slot_count = count;
    merge_index_slots(tree, node);
}

static uint32_t moved(NodeId id, const uint32_t *place_of)
{
    return id == NODE_NONE ? MERGE_NONE : place_of[id];
}

uint32_t merge_tree_load(MergeTree *tree, const Graph *graph, int64_t rank, int64_t mark)
{
    uint32_t *place_of = ARENA_ARRAY(tree->scratch, uint32_t, graph->count);
    uint32_t first = (uint32_t)tree->count, next = first;
    for (NodeId id = 0; id < graph->count; id++)
        if (graph->nodes[id].reachable)
            place_of[id] = next++;
    for (NodeId id = 0; id < graph->count; id++) {
        const Node *node = &graph->nodes[id];
        if (!node->reachable)
            continue;
        MergeNode *added = ARRAY_PUSH(tree->scratch, tree);
        *added = (MergeNode){.name = node->name,
                             .parent = moved(node->parent, place_of),
                             .first_child = moved(node->first_child, place_of),
                             .last_child = moved(node->last_child, place_of),
                             .next = moved(node->next, place_of),
                             .previous = MERGE_NONE,
                             .graph = graph,
                             .source = id,
                             .rank = rank,
                             .mark = mark,
                             .micro_step = node->micro_step,
                             .type = node->type,
                             .direction = node->direction};
        copy_slots(tree, graph->dump, node->op, added);
    }
    for (uint32_t i = first; i < tree->count; i++)
        if (tree->items[i].next != MERGE_NONE)
            tree->items[tree->items[i].next].previous = i;
    return first;
}

uint32_t merge_tree_add(MergeTree *tree, Str name, NodeType type, int64_t rank)
{
    MergeNode *added = ARRAY_PUSH(tree->scratch, tree);
    *added = (MergeNode){.name = names_add(tree->names, name),
                         .parent = MERGE_NONE,
                         .first_child = MERGE_NONE,
                         .last_child = MERGE_NONE,
                         .next = MERGE_NONE,
                         .previous = MERGE_NONE,
                         .rank = rank,
                         .type = (uint8_t)type};
    return (uint32_t)(tree->count - 1);
}

Str merge_name(const MergeTree *tree, uint32_t node)
{
    return names_text(tree->names, tree->items[node].name);
}

void merge_unlink(MergeTree *tree, uint32_t node)
{
    MergeNode *items = tree->items, *at = &items[node];
    if (at->parent == MERGE_NONE)
        return;
    if (at->previous == MERGE_NONE)
        items[at->parent].first_child = at->next;
    else
        items[at->previous].next = at->next;
    if (at->next == MERGE_NONE)
        items[at->parent].last_child = at->previous;
    else
        items[at->next].previous = at->previous;
    at->parent = at->next = at->previous = MERGE_NONE;
}

void merge_link(MergeTree *tree, uint32_t parent, uint32_t node, uint32_t after)
{
    MergeNode *items = tree->items;
    uint32_t next = after == MERGE_NONE ? items[parent].first_child : items[after].next;
    items[node].parent = parent;
    items[node].previous = after;
    items[node].next = next;
    if (after == MERGE_NONE)
        items[parent].first_child = node;
    else
        items[after].next = node;
    if (next == MERGE_NONE)
        items[parent].last_child = node;
    else
        items[next].previous = node;
}

// The node after `at` in pre-order below `root`, MERGE_NONE at the end.
static uint32_t next_in_preorder(const MergeTree *tree, uint32_t root, uint32_t at)
{
    const MergeNode *items = tree->items;
    if (items[at].first_child != MERGE_NONE)
        return items[at].first_child;
    while (at != root && items[at].next == MERGE_NONE)
        at = items[at].parent;
    return at == root ? MERGE_NONE : items[at].next;
}

MergeList merge_list(MergeTree *tree, uint32_t root)
{
    MergeList list = {0};
    for (uint32_t at = root; at != MERGE_NONE; at = next_in_preorder(tree, root, at))
        *ARRAY_PUSH(tree->scratch, &list) = at;
    return list;
}

uint32_t merge_find(const MergeIndex *index, NameId name)
{
    return name < index->count ? index->items[name] : MERGE_NONE;
}

void merge_index_add(MergeTree *tree, MergeIndex *index, uint32_t node)
{
    NameId name = tree->items[node].name;
    if (name >= index->count) {
        size_t count = (size_t)name * 2 + 64;
        index->items = arena_grow(tree->scratch, index->items, index->count * sizeof(uint32_t),
                                  count * sizeof(uint32_t));
        for (size_t i = index->count; i < count; i++)
            index->items[i] = MERGE_NONE;
        index->count = count;
    }
    index->items[name] = node;
}

MergeIndex merge_index(MergeTree *tree, uint32_t root)
{
    MergeIndex index = {0};
    for (uint32_t at = root; at != MERGE_NONE; at = next_in_preorder(tree, root, at))
        merge_index_add(tree, &index, at);
    return index;
}

Str merge_api(Str name)
{
    Str part = {NULL, 0};
    str_split(&name, '.', &part);
    return str_split(&name, '.', &part) ? part : (Str){NULL, 0};
}

void merge_mark_rank(MergeTree *tree, uint32_t node, int64_t rank)
{
    if (str_find(merge_api(merge_name(tree, node)), STR("_rank"), 0) == SIZE_MAX)
        merge_mark_further(tree, node, rank);
}

void merge_mark_further(MergeTree *tree, uint32_t node, int64_t rank)
{
    Str name = merge_name(tree, node), api = merge_api(name);
    if (api.size == 0)
        return;
    size_t end = (size_t)(api.data - name.data) + api.size;
    Str head = str_slice(name, 0, end), tail = str_slice(name, end, name.size);
    Str marked = str_printf(tree->scratch, STR_FMT "_rank%" PRId64 STR_FMT, STR_ARG(head), rank,
                            STR_ARG(tail));
    tree->items[node].name = names_add(tree->names, marked);
}

bool merge_is_communication(Str name)
{
    return str_starts(name, STR("Distributed")) || str_starts(name, STR("MintDistributed"));
}

void merge_note(MergeTree *tree, uint32_t node, Str text)
{
    *ARRAY_PUSH(tree->arena, &tree->items[node].notes) = text;
}

// ---- as a graph

typedef struct GraphWriter {
    MergeTree *tree;
    Graph *graph;
    Dump *dump;
    NodeOrigin *origins;
    size_t slot_capacity, extra_capacity;
    Arena *arena;
} GraphWriter;

// P2P operations and process groups have fields of their own next to their slots.
static void copy_extras(GraphWriter *writer, const MergeNode *node, uint32_t first_slot)
{
    const Dump *from = node->graph->dump;
    uint32_t start = from->ops[node->graph->nodes[node->source].op].first_slot;
    size_t at;
    FIND_FIRST(at, from->extra_count, from->extras[at].slot < start);
    for (; at < from->extra_count && from->extras[at].slot < start + node->slot_count; at++) {
        size_t count = writer->dump->extra_count++;
        array_reserve(writer->arena, (void **)&writer->dump->extras, count, &writer->extra_capacity,
                      sizeof *writer->dump->extras);
        writer->dump->extras[count] = from->extras[at];
        writer->dump->extras[count].slot = from->extras[at].slot - start + first_slot;
    }
}

static uint32_t write_op(GraphWriter *writer, const MergeNode *node)
{
    if (!node->graph || node->graph->nodes[node->source].op == OP_NONE)
        return OP_NONE;
    Dump *dump = writer->dump;
    Op *op = &dump->ops[dump->op_count];
    *op = node->graph->dump->ops[node->graph->nodes[node->source].op];
    op->name = node->name;
    op->first_slot = dump->slot_count;
    op->slot_count = node->slot_count;
    if (node->slot_count)
        memcpy(&dump->slots[dump->slot_count], node->slots, node->slot_count * sizeof(Slot));
    dump->slot_count += node->slot_count;
    if (!node->mixed_slots)
        copy_extras(writer, node, op->first_slot);
    return dump->op_count++;
}

static Dump *merged_dump(MergeTree *tree, const MergeList *list, const MergeRanks *ranks)
{
    Dump *dump = ARENA_NEW(tree->arena, Dump);
    *dump = *ranks->graphs[0]->dump;
    size_t slots = 0;
    for (size_t i = 0; i < list->count; i++)
        slots += tree->items[list->items[i]].slot_count;
    dump->ops = ARENA_ARRAY(tree->arena, Op, list->count + 1);
    dump->slots = ARENA_ARRAY(tree->arena, Slot, slots + 1);
    dump->extras = NULL;
    dump->op_count = dump->slot_count = dump->extra_count = 0;
    dump->bytes = 0;
    for (size_t i = 0; i < merge_ranks_count(ranks); i++) {
        const Dump *part = ranks->graphs[i]->dump;
        dump->bytes += part->bytes;
        if (dump->partial_at < 0)
            dump->partial_at = part->partial_at;
    }
    if (!str_equal(dump->task, STR("structure")))
        dump->task = STR("statistics");
    dump->has_checksum = dump->has_data_name = false;
    dump->merged = true;
    dump->shares = (uint32_t)ranks->tp;
    dump->merged_ranks = (uint32_t)merge_ranks_count(ranks);
    dump->batches = (uint32_t)ranks->batches;
    dump->sequences = (uint32_t)ranks->cp;
    dump->experts_unsure = tree->experts_unsure;
    dump->experts = (uint32_t)ranks->ep;
    return dump;
}

static void write_node(GraphWriter *writer, NodeId id, uint32_t from, const NodeId *id_of)
{
    const MergeNode *node = &writer->tree->items[from];
    Graph *graph = writer->graph;
    graph->nodes[id] = (Node){
        .name = node->name,
        .parent = node->parent == MERGE_NONE ? NODE_NONE : id_of[node->parent],
        .first_child = node->first_child == MERGE_NONE ? NODE_NONE : id_of[node->first_child],
        .last_child = node->last_child == MERGE_NONE ? NODE_NONE : id_of[node->last_child],
        .previous = node->previous == MERGE_NONE ? NODE_NONE : id_of[node->previous],
        .next = node->next == MERGE_NONE ? NODE_NONE : id_of[node->next],
        .op = OP_NONE,
        .micro_step = node->micro_step,
        .type = node->type,
        .direction = node->direction,
        .reachable = true};
    graph->of_name[node->name] = id;
    writer->origins[id] =
        (NodeOrigin){node->graph, node->source, node->rank, node->notes.items, node->notes.count};
}

// Post-order without recursion; ops are in it, as calls are recorded when they end.
static void write_order(GraphWriter *writer, const MergeList *list)
{
    Graph *graph = writer->graph;
    NodeId id = 0;
    for (;;) {
        while (graph->nodes[id].first_child != NODE_NONE)
            id = graph->nodes[id].first_child;
        for (;;) {
            graph->order[graph->order_count++] = id;
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each node has an item
            graph->nodes[id].op = write_op(writer, &writer->tree->items[list->items[id]]);
            if (id == 0)
                return;
            if (graph->nodes[id].next != NODE_NONE)
                break;
            id = graph->nodes[id].parent;
        }
        id = graph->nodes[id].next;
    }
}

// Children of the root have a micro step of their own; what is below them inherits.
static void inherit_micro_steps(MergeTree *tree, const MergeList *list, uint32_t root)
{
    for (size_t i = 1; i < list->count; i++) {
        MergeNode *node = &tree->items[list->items[i]];
        if (node->parent != root)
            node->micro_step = tree->items[node->parent].micro_step;
    }
}

void merge_tree_graph(MergeTree *tree, uint32_t root, const MergeRanks *ranks, Graph *out)
{
    MergeList list = merge_list(tree, root);
    const Graph *first = ranks->graphs[0];
    inherit_micro_steps(tree, &list, root);
    *out = (Graph){.stacks = first->stacks, .micro_steps = first->micro_steps, .flat = first->flat};
    Dump *dump = merged_dump(tree, &list, ranks);
    out->dump = dump;
    out->count = out->capacity = (uint32_t)list.count;
    out->nodes = ARENA_ARRAY(tree->arena, Node, list.count);
    out->order = ARENA_ARRAY(tree->arena, NodeId, list.count);
    out->name_count = names_count(tree->names) + 1;
    out->of_name = array_of_none(tree->arena, out->name_count);
    NodeOrigin *origins = ARENA_ARRAY(tree->arena, NodeOrigin, list.count);
    out->origins = origins;
    NodeId *id_of = ARENA_ARRAY(tree->scratch, NodeId, tree->count);
    for (NodeId id = 0; id < list.count; id++)
        id_of[list.items[id]] = id;
    GraphWriter writer = {
        .tree = tree, .graph = out, .dump = dump, .origins = origins, .arena = tree->arena};
    for (NodeId id = 0; id < list.count; id++)
        write_node(&writer, id, list.items[id], id_of);
    write_order(&writer, &list);
}
