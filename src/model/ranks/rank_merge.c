// SPDX-License-Identifier: Apache-2.0
#include "model/ranks/rank_merge.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/words.h"
#include "model/ranks/merge_tree.h"

// Steps (docs/spec/graph.md §2.14): the groups of loose APIs are put side by side by rank; the
// stages of each pipeline become one tree, then the virtual stages in it; then the shares of
// tensors; then the parts of a batch.

static const char group_prefix[] = "Apis_Between_Modules.";

// ---- groups of loose APIs

static bool is_plain_group(const MergeTree *tree, uint32_t node)
{
    return tree->items[node].type == NODE_GROUP &&
           str_starts(merge_name(tree, node), str_of(group_prefix));
}

// "Apis_Between_Modules.2" becomes "…_All_Ranks.2" around "…_Rank1.2".
static void wrap_group(MergeTree *tree, uint32_t root, uint32_t group, bool mark)
{
    Str name = merge_name(tree, group);
    Str number = str_slice(name, sizeof group_prefix - 1, name.size);
    int64_t rank = tree->items[group].rank;
    uint32_t all = merge_tree_add(
        tree, str_printf(tree->scratch, "Apis_Between_Modules_All_Ranks." STR_FMT, STR_ARG(number)),
        NODE_GROUP, rank);
    tree->items[all].micro_step = tree->items[group].micro_step;
    uint32_t after = tree->items[group].previous;
    merge_unlink(tree, group);
    merge_link(tree, root, all, after);
    merge_link(tree, all, group, MERGE_NONE);
    tree->items[group].name = names_add(
        tree->names, str_printf(tree->scratch, "Apis_Between_Modules_Rank%" PRId64 "." STR_FMT,
                                rank, STR_ARG(number)));
    for (uint32_t at = tree->items[group].first_child; mark && at != MERGE_NONE;
         at = tree->items[at].next)
        merge_mark_rank(tree, at, rank);
}

static void wrap_groups(MergeTree *tree, uint32_t root, bool mark)
{
    for (uint32_t at = tree->items[root].first_child, next; at != MERGE_NONE; at = next) {
        next = tree->items[at].next;
        if (is_plain_group(tree, at))
            wrap_group(tree, root, at, mark);
    }
}

// The groups of the other shares join those of the first; msProbe drops those without one there.
static void join_groups(MergeTree *tree, const uint32_t *roots, size_t count)
{
    MergeIndex index = merge_index(tree, roots[0]);
    for (size_t i = 1; i < count; i++)
        for (uint32_t at = tree->items[roots[i]].first_child, next; at != MERGE_NONE; at = next) {
            next = tree->items[at].next;
            if (tree->items[at].type != NODE_GROUP)
                continue;
            uint32_t own = merge_find(&index, tree->items[at].name);
            if (own == MERGE_NONE && tree->rules == GRAPH_MSPROBE)
                continue;
            if (own == MERGE_NONE) {
                merge_unlink(tree, at);
                merge_link(tree, roots[0], at, tree->items[roots[0]].last_child);
                merge_index_add(tree, &index, at);
                continue;
            }
            for (uint32_t child = tree->items[at].first_child, after; child != MERGE_NONE;
                 child = after) {
                after = tree->items[child].next;
                merge_unlink(tree, child);
                merge_link(tree, own, child, tree->items[own].last_child);
            }
        }
}

typedef struct GroupOrder {
    int64_t rank;
    uint32_t node;
} GroupOrder;

static int by_rank(const void *a, const void *b)
{
    const GroupOrder *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void sort_group(MergeTree *tree, uint32_t group)
{
    size_t count = 0, i = 0;
    for (uint32_t at = tree->items[group].first_child; at != MERGE_NONE; at = tree->items[at].next)
        count++;
    GroupOrder *order = ARENA_ARRAY(tree->scratch, GroupOrder, count + 1);
    for (uint32_t at = tree->items[group].first_child; at != MERGE_NONE; at = tree->items[at].next)
        order[i++] = (GroupOrder){tree->items[at].rank, at};
    qsort(order, count, sizeof *order, by_rank);
    for (i = 0; i < count; i++) {
        merge_unlink(tree, order[i].node);
        merge_link(tree, group, order[i].node, tree->items[group].last_child);
    }
}

static void sort_groups(MergeTree *tree, uint32_t root)
{
    for (uint32_t at = tree->items[root].first_child; at != MERGE_NONE; at = tree->items[at].next)
        if (str_starts(merge_name(tree, at), STR("Apis_Between_Modules_All_Ranks.")))
            sort_group(tree, at);
}

// ---- virtual stages

// "Module.1.decoder…" is of chunk 1. False for anything else.
static bool chunk_of(Str name, uint64_t *chunk, size_t *start, size_t *end)
{
    size_t dot = str_find_char(name, '.', 0);
    if (dot == SIZE_MAX || !(str_equal(str_slice(name, 0, dot), STR("Module")) ||
                             str_equal(str_slice(name, 0, dot), STR("Cell"))))
        return false;
    *start = dot + 1;
    *end = str_find_char(name, '.', *start);
    return *end != SIZE_MAX && str_to_uint64(str_slice(name, *start, *end), chunk);
}

static void rename_chunk(MergeTree *tree, uint32_t root)
{
    MergeList list = merge_list(tree, root);
    for (size_t i = 1; i < list.count; i++) {
        uint64_t chunk;
        size_t start, end;
        MergeNode *node = &tree->items[list.items[i]];
        Str name = names_text(tree->names, node->name);
        if (!chunk_of(name, &chunk, &start, &end))
            continue;
        Str head = str_slice(name, 0, start), tail = str_slice(name, end, name.size);
        node->name = names_add(tree->names, str_printf(tree->scratch, STR_FMT "0" STR_FMT,
                                                       STR_ARG(head), STR_ARG(tail)));
    }
}

// Moves the modules of one chunk below a root of their own. False if there are none.
static bool take_chunk(MergeTree *tree, uint32_t root, uint64_t wanted, uint32_t *out)
{
    bool some = false;
    *out = merge_tree_add(tree, merge_name(tree, root), NODE_MODULE, tree->items[root].rank);
    for (uint32_t at = tree->items[root].first_child, next; at != MERGE_NONE; at = next) {
        uint64_t chunk;
        size_t start, end;
        next = tree->items[at].next;
        if (!chunk_of(merge_name(tree, at), &chunk, &start, &end) || chunk != wanted)
            continue;
        merge_unlink(tree, at);
        merge_link(tree, *out, at, tree->items[*out].last_child);
        some = true;
    }
    rename_chunk(tree, *out);
    return some;
}

static void merge_chunks(MergeTree *tree, uint32_t root, size_t vpp)
{
    uint32_t *roots = ARENA_ARRAY(tree->scratch, uint32_t, vpp);
    size_t count = 1;
    roots[0] = root;
    for (size_t chunk = 1; chunk < vpp; chunk++) {
        if (take_chunk(tree, root, chunk, &roots[count]))
            count++;
        else
            notices_add(tree->notices, NOTICE_WARNING, tree->where,
                        tr("parallel merge: there is no module of virtual stage %zu"), chunk);
    }
    merge_stages(tree, roots, count, true);
}

// ---- broken dumps

// Loose ops of ranks whose hierarchy is broken may have ids that stand elsewhere already. The id of
// a node is its own in a graph, so what is still repeated under the mark of its rank goes, with all
// below it.
static void leave_out_repeated(MergeTree *tree, uint32_t root)
{
    MergeList list = merge_list(tree, root);
    MergeIndex index = {0};
    bool *gone = ARENA_ARRAY(tree->scratch, bool, tree->count);
    for (size_t i = 0; i < list.count; i++) {
        uint32_t node = list.items[i], parent = tree->items[node].parent;
        if (i > 0 && gone[parent]) {
            gone[node] = true;
            continue;
        }
        bool taken = merge_find(&index, tree->items[node].name) != MERGE_NONE;
        if (taken && tree->items[node].type == NODE_API) {
            merge_mark_rank(tree, node, tree->items[node].rank);
            taken = merge_find(&index, tree->items[node].name) != MERGE_NONE;
        }
        if (!taken) {
            merge_index_add(tree, &index, node);
            continue;
        }
        gone[node] = true;
        merge_unlink(tree, node);
        notices_partial(
            tree->notices, tree->where, "%s",
            tr("parallel merge: a node with the id of another one in another place is left "
               "out"));
    }
}

// Without a hierarchy a rank's ops are next to those of the others instead of among them.
static void check_hierarchies(const MergeRanks *ranks, const MergeTree *tree)
{
    size_t count = merge_ranks_count(ranks), flat = 0;
    for (size_t i = 0; i < count; i++)
        flat += ranks->graphs[i]->flat;
    for (size_t i = 0; i < count && flat < count; i++) {
        if (!ranks->graphs[i]->flat)
            continue;
        const char *folder = str_cstr(tree->arena, path_folder(ranks->graphs[i]->dump->path));
        const char *file = path_join(tree->arena, folder, STR("construct.json"));
        notices_partial(tree->notices, WHERE_FILE(file), "%s",
                        tr("parallel merge: this rank has no hierarchy and others have one: what "
                           "it shares with them is not found"));
    }
}

// ----

static void say_what_is_lost(const MergeRanks *ranks, const MergeTree *tree)
{
    for (size_t i = 0; i < merge_ranks_count(ranks); i++)
        if (ranks->graphs[i]->dump->has_checksum || ranks->graphs[i]->dump->has_data_name) {
            notices_add(tree->notices, NOTICE_INFO, tree->where, "%s",
                        tr("parallel merge: checksums and tensor files of several ranks cannot be "
                           "merged; their statistics are"));
            return;
        }
}

void graph_merge(const MergeRanks *ranks, Arena *arena, Graph *out, Notices *notices)
{
    const Dump *first = ranks->graphs[0]->dump;
    MergeTree tree = {.names = first->names,
                      .rules = ranks->rules,
                      .arena = arena,
                      .scratch = arena_new(),
                      .where = WHERE_FILE(first->path.data),
                      .notices = notices};
    size_t count = merge_ranks_count(ranks), shares = ranks->batches * ranks->tp;
    uint32_t *roots = ARENA_ARRAY(tree.scratch, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        roots[i] = merge_tree_load(&tree, ranks->graphs[i], ranks->numbers[i],
                                   ranks->numbers[i % ranks->pp]);
        wrap_groups(&tree, roots[i], i > 0);
    }
    uint32_t *bases = ARENA_ARRAY(tree.scratch, uint32_t, shares);
    for (size_t share = 0; share < shares; share++) {
        bases[share] = roots[share * ranks->pp];
        merge_stages(&tree, &roots[share * ranks->pp], ranks->pp, false);
        if (ranks->vpp > 1)
            merge_chunks(&tree, bases[share], ranks->vpp);
    }
    uint32_t *wholes = ARENA_ARRAY(tree.scratch, uint32_t, ranks->batches);
    for (size_t batch = 0; batch < ranks->batches; batch++) {
        wholes[batch] = bases[batch * ranks->tp];
        merge_tensor_shares(&tree, &bases[batch * ranks->tp], ranks->tp);
    }
    merge_batches(&tree, wholes, ranks);
    join_groups(&tree, bases, shares);
    leave_out_repeated(&tree, bases[0]);
    sort_groups(&tree, bases[0]);
    check_hierarchies(ranks, &tree);
    say_what_is_lost(ranks, &tree);
    merge_tree_graph(&tree, bases[0], ranks, out);
    arena_release(tree.scratch);
}
