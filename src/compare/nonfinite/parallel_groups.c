// SPDX-License-Identifier: Apache-2.0
#include "compare/nonfinite/parallel_groups.h"

#include <string.h>

#include "compare/nonfinite/comm_call.h"

static bool is_reduction(Str name)
{
    return str_find(name, STR("reduce_scatter"), 0) != SIZE_MAX ||
           str_find(name, STR("all_reduce"), 0) != SIZE_MAX;
}

RankLinks parallel_links(const Dump *dump, int64_t rank, Arena *arena)
{
    RankLinks links = {.next = -1};
    Arena *scratch = arena_new();
    for (uint32_t op = 0; op < dump->op_count; op++) {
        Str name = names_text(dump->names, dump->ops[op].name);
        CommCalls calls = {0};
        if (!comm_is_call(name))
            continue;
        comm_calls_add(dump, op, rank, scratch, &calls);
        for (size_t i = 0; i < calls.count; i++) {
            const CommCall *call = &calls.items[i];
            if (links.next < 0 && call->role == COMM_GIVES && call->peer >= 0)
                links.next = call->peer;
            if (links.shares.size == 0 && is_reduction(name))
                links.shares = str_copy(arena, call->ranks);
        }
        if (links.next >= 0 && links.shares.size)
            break;
    }
    arena_release(scratch);
    return links;
}

typedef struct Grouping {
    const ParallelLayout *layout;
    int64_t ranks;
    const RankLinks *links;
    int64_t *stages;  // by chain: its ranks, pp of them
    int64_t *chain;   // by rank: its chain
    Arena *scratch;
} Grouping;

static int64_t follow(const Grouping *grouping, int64_t rank, int64_t number)
{
    int64_t length = 0;
    while (rank >= 0 && rank < grouping->ranks && grouping->chain[rank] < 0) {
        if (length == grouping->layout->pp)
            return length + 1;
        grouping->chain[rank] = number;
        grouping->stages[number * grouping->layout->pp + length++] = rank;
        rank = grouping->links[rank].next;
    }
    return length;
}

// From each rank on to where it sends, as long as that was not met yet. Every chain must be a whole
// pipeline.
static bool find_chains(Grouping *grouping)
{
    int64_t pp = grouping->layout->pp, number = 0;
    grouping->stages = ARENA_ARRAY(grouping->scratch, int64_t, (size_t)grouping->ranks);
    grouping->chain = ARENA_ARRAY(grouping->scratch, int64_t, (size_t)grouping->ranks);
    for (int64_t rank = 0; rank < grouping->ranks; rank++)
        grouping->chain[rank] = -1;
    for (int64_t rank = 0; rank < grouping->ranks; rank++) {
        if (grouping->chain[rank] >= 0)
            continue;
        if (pp == 1) {
            grouping->chain[rank] = number;
            grouping->stages[number++] = rank;
        } else if (number * pp >= grouping->ranks || follow(grouping, rank, number++) != pp) {
            return false;
        }
    }
    return true;
}

// Takes the chains whose first ranks reduce together. False if these are not `tp` chains' heads.
static bool take_copy(const Grouping *grouping, int64_t chain, bool *used, int64_t *out)
{
    int64_t tp = grouping->layout->tp, pp = grouping->layout->pp;
    RankList list = {0};
    int64_t head = grouping->stages[chain * pp];
    if (tp == 1)
        *ARRAY_PUSH(grouping->scratch, &list) = head;
    else if (!comm_ranks_parse(grouping->links[head].shares, grouping->scratch, &list))
        return false;
    if ((int64_t)list.count != tp)
        return false;
    for (int64_t share = 0; share < tp; share++) {
        int64_t rank = list.items[share];
        if (rank < 0 || rank >= grouping->ranks)
            return false;
        int64_t other = grouping->chain[rank];
        if (used[other] || grouping->stages[other * pp] != rank)
            return false;
        used[other] = true;
        for (int64_t stage = 0; stage < pp; stage++)
            out[share * pp + stage] = grouping->stages[other * pp + stage];
    }
    return true;
}

static bool group_as_told(Grouping *grouping, int64_t *out)
{
    int64_t tp = grouping->layout->tp, pp = grouping->layout->pp, copies = 0;
    if (!grouping->links || !find_chains(grouping))
        return false;
    bool *used = ARENA_ARRAY(grouping->scratch, bool, (size_t)grouping->ranks);
    for (int64_t chain = 0; chain < grouping->ranks / pp; chain++) {
        if (used[chain])
            continue;
        if (copies == grouping->ranks / (tp * pp) ||
            !take_copy(grouping, chain, used, &out[copies++ * tp * pp]))
            return false;
    }
    return true;
}

// The first rank of a copy, as ranks are numbered by default: those of one sequence follow each
// other.
static int64_t head_of(const ParallelLayout *layout, const ParallelStrides *strides, int64_t copy)
{
    return copy % layout->cp * strides->cp + copy / layout->cp * strides->dp;
}

// Brings the copies that the dumps told into the order of their first ranks. False if these are
// others.
static bool order_copies(const Grouping *grouping, int64_t *groups)
{
    const ParallelLayout *layout = grouping->layout;
    int64_t size = layout->tp * layout->pp, copies = grouping->ranks / size;
    if (parallel_layout_batches(layout) == 1)
        return true;
    ParallelStrides strides = parallel_layout_strides(layout, grouping->ranks);
    int64_t *told = ARENA_ARRAY(grouping->scratch, int64_t, (size_t)grouping->ranks);
    int64_t *copy_at = ARENA_ARRAY(grouping->scratch, int64_t, (size_t)grouping->ranks);
    memcpy(told, groups, (size_t)grouping->ranks * sizeof *told);
    for (int64_t copy = 0; copy < copies; copy++)
        copy_at[told[copy * size]] = copy + 1;
    for (int64_t copy = 0; copy < copies; copy++) {
        int64_t from = copy_at[head_of(layout, &strides, copy)];
        if (from == 0)
            return false;
        memcpy(&groups[copy * size], &told[(from - 1) * size], (size_t)size * sizeof *groups);
    }
    return true;
}

int64_t *parallel_groups(const ParallelLayout *layout, int64_t ranks, const RankLinks *links,
                         Arena *arena)
{
    int64_t *out = ARENA_ARRAY(arena, int64_t, (size_t)ranks + 1);
    Grouping grouping = {.layout = layout, .ranks = ranks, .links = links, .scratch = arena_new()};
    bool told = group_as_told(&grouping, out) && order_copies(&grouping, out);
    arena_release(grouping.scratch);
    ParallelStrides strides = parallel_layout_strides(layout, ranks);
    for (int64_t i = 0; !told && i < ranks; i++) {
        int64_t stage = i % layout->pp, share = i / layout->pp % layout->tp;
        int64_t copy = i / (layout->pp * layout->tp);
        out[i] = stage * strides.pp + share * strides.tp + head_of(layout, &strides, copy);
    }
    return out;
}
