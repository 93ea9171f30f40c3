// SPDX-License-Identifier: Apache-2.0
// Modules of which one side records what they take and give, and no API call within.
#include "compare/opaque_modules.h"

#include "base/array.h"
#include "compare/judge/recorded.h"
#include "read/dump/op_name.h"

// So many calls, of so many APIs, are left out by a setting; of one module more than its only one.
enum { CALLS_MIN = 3, CLASSES_MIN = 2, CALLS_OF_MODULE = 2 };

typedef struct OpaqueSide {
    const Graph *graph;
    const Dump *dump;
    uint32_t *partner;               // by op: the other side's, or OP_NONE
    bool *has_api[DIRECTION_COUNT];  // by direction and node: the node or one below is an API call
} OpaqueSide;

typedef struct Opaque {
    const Comparison *comparison;
    OpaqueSide sides[2];
    Arena *scratch;
} Opaque;

static void find_apis(OpaqueSide *side, Arena *scratch)
{
    const Graph *graph = side->graph;
    for (int d = 0; d < DIRECTION_COUNT; d++)
        side->has_api[d] = ARENA_ARRAY(scratch, bool, graph->count);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        NodeId id = graph->order[i];
        const Node *node = &graph->nodes[id];
        if (node->op != OP_NONE && side->dump->ops[node->op].kind == OP_API)
            side->has_api[side->dump->ops[node->op].direction][id] = true;
        for (int d = 0; node->parent != NODE_NONE && d < DIRECTION_COUNT; d++)
            side->has_api[d][node->parent] |= side->has_api[d][id];
    }
}

static void find_partners(Opaque *opaque)
{
    const Comparison *comparison = opaque->comparison;
    for (int side = 0; side < 2; side++) {
        uint32_t count = opaque->sides[side].dump->op_count;
        opaque->sides[side].partner = array_of_none(opaque->scratch, count);
    }
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        if (!op_has_both(pair))
            continue;
        opaque->sides[0].partner[pair->golden] = pair->target;
        opaque->sides[1].partner[pair->target] = pair->golden;
    }
}

static bool tells_results(const Dump *dump, uint32_t op)
{
    for (uint32_t i = 0; i < dump->ops[op].slot_count; i++) {
        const Slot *slot = &dump->slots[dump->ops[op].first_slot + i];
        if (slot_is_output_tensor(slot) && recorded_told(slot))
            return true;
    }
    return false;
}

// Whether the other side holds the call of the module, and none of an API of that direction within.
static bool is_opaque(const Opaque *opaque, int side, NodeId id, Direction direction)
{
    const OpaqueSide *own = &opaque->sides[side], *other = &opaque->sides[1 - side];
    uint32_t op = own->graph->nodes[id].op;
    if (op == OP_NONE || own->dump->ops[op].kind != OP_MODULE || own->partner[op] == OP_NONE)
        return false;
    NodeId partner = graph_find(other->graph, other->dump->ops[own->partner[op]].name);
    return partner != NODE_NONE && !other->has_api[direction][partner] &&
           tells_results(own->dump, op) && tells_results(other->dump, own->partner[op]);
}

// By node: the outermost such module around it, itself included, or NODE_NONE.
static NodeId *find_regions(const Opaque *opaque, int side, Direction direction)
{
    const Graph *graph = opaque->sides[side].graph;
    NodeId *regions = array_of_none(opaque->scratch, graph->count);
    for (uint32_t i = graph->order_count; i-- > 0;) {
        NodeId id = graph->order[i], parent = graph->nodes[id].parent;
        if (parent != NODE_NONE && regions[parent] != NODE_NONE)
            regions[id] = regions[parent];
        else if (is_opaque(opaque, side, id, direction))
            regions[id] = id;
    }
    return regions;
}

// Where an open call of the side lies, or NODE_NONE.
static NodeId region_of(const Opaque *opaque, int side, Direction direction, const NodeId *regions,
                        const OpPair *pair)
{
    uint32_t at = op_on_side(pair, side);
    if (pair->status != STATUS_UNMATCHED || (pair->target == OP_NONE) != (side == 0))
        return NODE_NONE;
    const Op *op = &opaque->sides[side].dump->ops[at];
    NodeId node = graph_find(opaque->sides[side].graph, op->name);
    bool asked = op->kind == OP_API && op->direction == direction && node != NODE_NONE;
    return asked ? regions[node] : NODE_NONE;
}

static void mark_side(const Opaque *opaque, int side, Direction direction, bool *out)
{
    const Comparison *comparison = opaque->comparison;
    const Dump *dump = opaque->sides[side].dump;
    const NodeId *regions = find_regions(opaque, side, direction);
    uint32_t *calls = ARENA_ARRAY(opaque->scratch, uint32_t, opaque->sides[side].graph->count);
    Names *classes = names_new(opaque->scratch);
    uint32_t total = 0;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        NodeId region = region_of(opaque, side, direction, regions, &comparison->ops[i]);
        if (region != NODE_NONE)
            calls[region]++;
    }
    bool *marked = ARENA_ARRAY(opaque->scratch, bool, (size_t)comparison->op_count + 1);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        NodeId region = region_of(opaque, side, direction, regions, pair);
        if (region == NODE_NONE || calls[region] < CALLS_OF_MODULE)
            continue;
        const Op *op = &dump->ops[op_on_side(pair, side)];
        names_add(classes, op_name_of(dump->names, op->name).stem);
        marked[i] = true;
        total++;
    }
    for (uint32_t i = 0; i < comparison->op_count; i++)
        out[i] |= marked[i] && total >= CALLS_MIN && names_count(classes) >= CLASSES_MIN;
}

void opaque_modules_find(const Comparison *comparison, Arena *scratch, bool *out)
{
    Opaque opaque = {.comparison = comparison, .scratch = scratch};
    const Graph *graphs[2] = {comparison->golden, comparison->target};
    for (int side = 0; side < 2; side++) {
        if (graphs[side]->flat)
            return;
        opaque.sides[side] = (OpaqueSide){.graph = graphs[side], .dump = graphs[side]->dump};
        find_apis(&opaque.sides[side], scratch);
    }
    find_partners(&opaque);
    for (int side = 0; side < 2; side++) {
        mark_side(&opaque, side, DIR_FORWARD, out);
        mark_side(&opaque, side, DIR_BACKWARD, out);
    }
}
