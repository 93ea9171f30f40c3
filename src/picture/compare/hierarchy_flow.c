// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/hierarchy_flow.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "compare/flow.h"

#define NOT_SHOWN SIZE_MAX

typedef struct Feeding {
    const Hierarchy *hierarchy;
    const Dump *dump;
    const uint32_t *producer;  // Flow.producer of its slots
    uint32_t *row_of;          // by op: its tree row, or PAIR_NONE
    size_t *shown;             // by tree row: the row that stands for it, or NOT_SHOWN
    Arena *arena;
    Feeds *out;
} Feeding;

// Zeros, ones, masks of one value: many ops give such, and not to each other. The value of a
// tensor of one element, as a loss is, tells as much as any.
static bool is_constant(const Slot *slot)
{
    double most, least, norm;
    if (slot->checksum != NAME_NONE || !slot_stat(slot, STAT_MAX, &most) ||
        !slot_stat(slot, STAT_MIN, &least) || most != least)
        return false;
    bool one = slot_stat(slot, STAT_NORM, &norm) && norm == fabs(most);
    return !one || most == 0 || fabs(most) == 1;
}

static bool tells(const Slot *slot)
{
    return slot->kind == SLOT_TENSOR && !is_constant(slot);
}

// The enclosing node as it is shown: groups and the root are not. PAIR_NONE: none.
static uint32_t shown_parent(const Feeding *flow, uint32_t row)
{
    const TreeNode *tree = flow->hierarchy->comparison.tree;
    do
        row = tree[row].parent;
    while (row != PAIR_NONE && flow->hierarchy->outline.section_of[row] == PAIR_NONE);
    return row;
}

// Moves both up to siblings of one section; false where they have no such ancestors.
static bool climb(const Feeding *flow, uint32_t *giver, uint32_t *taker)
{
    const TreeNode *tree = flow->hierarchy->comparison.tree;
    const uint32_t *section_of = flow->hierarchy->outline.section_of;
    if (section_of[*giver] != section_of[*taker])
        return false;
    for (;;) {
        uint32_t above_giver = shown_parent(flow, *giver);
        uint32_t above_taker = shown_parent(flow, *taker);
        if (above_giver == above_taker)
            return *giver != *taker;
        bool deeper = above_taker == PAIR_NONE ||
                      (above_giver != PAIR_NONE && tree[*giver].depth >= tree[*taker].depth);
        *(deeper ? giver : taker) = deeper ? above_giver : above_taker;
        if (*giver == *taker)
            return false;
    }
}

static void feed(Feeding *flow, uint32_t giver, uint32_t taker)
{
    if (!climb(flow, &giver, &taker))
        return;
    size_t from = flow->shown[giver], to = flow->shown[taker];
    if (from != NOT_SHOWN && to != NOT_SHOWN && from < to)
        *ARRAY_PUSH(flow->arena, flow->out) = (Feed){from, to};
}

static void take(Feeding *flow, const Op *op, uint32_t row)
{
    for (uint32_t i = op->first_slot; i < op->first_slot + op->slot_count; i++) {
        const Slot *slot = &flow->dump->slots[i];
        if ((slot->group != GROUP_INPUT && slot->group != GROUP_KWARGS) || !tells(slot))
            continue;
        uint32_t at = flow->producer[i], giver = PAIR_NONE;
        for (; at != SLOT_NONE && giver == PAIR_NONE; at = flow->producer[at])
            giver = flow->row_of[dump_op_with(flow->dump, at) - flow->dump->ops];
        if (giver != PAIR_NONE)
            feed(flow, giver, row);
    }
}

static int by_taker(const void *a, const void *b)
{
    const Feed *left = a, *right = b;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

static void keep_each_once(Feeds *feeds)
{
    size_t kept = 0;
    if (feeds->count)
        qsort(feeds->items, feeds->count, sizeof *feeds->items, by_taker);
    for (size_t i = 0; i < feeds->count; i++)
        if (i == 0 || by_taker(&feeds->items[i], &feeds->items[kept - 1]) != 0)
            feeds->items[kept++] = feeds->items[i];
    feeds->count = kept;
}

// A row stands for its repeats, a heading for nothing.
static void find_shown(Feeding *flow, const HierarchyRows *rows, Arena *arena)
{
    uint32_t count = flow->hierarchy->comparison.tree_count;
    flow->shown = ARENA_ARRAY(arena, size_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        flow->shown[i] = NOT_SHOWN;
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t k = 0; !rows->items[i].section && !rows->items[i].period &&
                             k < rows->items[i].repeats && k < rows->items[i].member_count;
             k++)
            flow->shown[rows->items[i].members[k]] = i;
}

void hierarchy_feeds(const Hierarchy *hierarchy, const HierarchyRows *rows, Arena *arena,
                     Feeds *out)
{
    Arena *scratch = arena_new();
    const Comparison *comparison = &hierarchy->comparison;
    Feeding flow = {
        .hierarchy = hierarchy, .dump = hierarchy->graph->dump, .arena = arena, .out = out};
    *out = (Feeds){0};
    flow.producer = flow_find(flow.dump, scratch)->producer;
    flow.row_of = array_of_none(scratch, flow.dump->op_count);
    for (uint32_t i = 0; i < comparison->op_count; i++)
        if (comparison->ops[i].target != OP_NONE)
            flow.row_of[comparison->ops[i].target] = hierarchy->outline.row_of_op[i];
    find_shown(&flow, rows, scratch);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        uint32_t row = hierarchy->outline.row_of_op[i], op = comparison->ops[i].target;
        if (row == PAIR_NONE || op == OP_NONE)
            continue;
        take(&flow, &flow.dump->ops[op], row);
    }
    arena_release(scratch);
    keep_each_once(out);
}
