// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/words.h"
#include "model/ranks/merge_layers.h"
#include "read/dump/op_name.h"

// Ranks with tokens of their own: parts of a sequence (context parallel) or of a batch (data
// parallel), over which the experts may be spread (expert parallel). What all of them have is one
// node: a tensor that is equal is whole on each, one that differs is in parts. An expert that some
// of them have is that of its owners. What is a term of a sum on each rank has no statistics
// together, and says so.

// Why a tensor has none.
typedef enum Unmerged {
    UNMERGED_GRADIENT,
    UNMERGED_NUMBER,
    UNMERGED_EXCHANGED,
    UNMERGED_KIND,
    UNMERGED_LACKING,
    UNMERGED_COUNT
} Unmerged;

static const char *const reasons[UNMERGED_COUNT] = {
    [UNMERGED_GRADIENT] = TR("parallel merge: gradients of weights are terms of a sum over ranks "
                             "with other tokens; they cannot be merged from statistics"),
    [UNMERGED_NUMBER] = TR("parallel merge: single numbers that differ over ranks with other "
                           "tokens, such as losses and counts, cannot be merged"),
    [UNMERGED_EXCHANGED] = TR("parallel merge: what is computed of parts of a sequence while they "
                              "are exchanged cannot be merged"),
    [UNMERGED_KIND] = TR("parallel merge: what differs over ranks with other tokens and has no "
                         "statistics, or no size, cannot be merged"),
    [UNMERGED_LACKING] = TR("parallel merge: what one of the ranks with other tokens lost, outside "
                            "of experts, or its statistics, cannot be merged"),
};

// More siblings than anything that one run calls and another does not.
#define SIBLINGS_MAX 64

typedef struct Batches {
    MergeTree *tree;
    const MergeRanks *ranks;
    MergeIndex index;          // of the first tree, which grows
    uint32_t *image;           // by node: what it is there; MERGE_NONE: left out
    bool *moved;               // by node: it moved there as it is
    uint32_t *above, *before;  // by node: where it stood
    uint32_t *cursor;          // by node: how far its image's children are taken
    uint32_t *partner, *last;  // by node: the next that is the same, and the last one
    size_t *batch;             // by node: of which tree
    bool *expert, *exchanges;  // by node: it is of experts; its children send and receive
    const Slot **slots;        // scratch of one slot on all ranks, empty ones left out,
    size_t *parts;             // its part of the experts,
    size_t *first;             // the first rank of a part, from 1,
    double *weights;           // and numbers of elements
    int64_t *numbers;
    size_t count;
} Batches;

// ---- which nodes are the same

static Str call_of(const MergeTree *tree, uint32_t node)
{
    Str stem = op_name_of(tree->names, tree->items[node].name).stem;
    return str_slice(stem, 0, str_find(stem, STR("_rank"), 0));
}

// The next call of the same API below `parent`: call numbers run on over experts, of which each
// rank has others.
static uint32_t call_like(Batches *batches, uint32_t node, uint32_t parent)
{
    const MergeTree *tree = batches->tree;
    uint32_t *cursor = &batches->cursor[batches->above[node]];
    uint32_t at =
        *cursor == MERGE_NONE ? tree->items[parent].first_child : tree->items[*cursor].next;
    for (int i = 0; at != MERGE_NONE && i < SIBLINGS_MAX; at = tree->items[at].next, i++)
        if (tree->items[at].type == tree->items[node].type &&
            tree->items[at].direction == tree->items[node].direction &&
            str_equal(call_of(tree, at), call_of(tree, node))) {
            *cursor = at;
            return at;
        }
    return MERGE_NONE;
}

static uint32_t node_like(Batches *batches, uint32_t node, uint32_t parent)
{
    const MergeTree *tree = batches->tree;
    if (tree->items[node].type == NODE_API)
        return call_like(batches, node, parent);
    uint32_t known = merge_find(&batches->index, tree->items[node].name);
    return known != MERGE_NONE && tree->items[known].parent == parent ? known : MERGE_NONE;
}

static void join(Batches *batches, uint32_t known, uint32_t node)
{
    batches->image[node] = known;
    batches->partner[batches->last[known]] = node;
    batches->last[known] = node;
}

static void move(Batches *batches, uint32_t node, uint32_t parent)
{
    MergeTree *tree = batches->tree;
    uint32_t before = batches->before[node], after = MERGE_NONE;
    if (before != MERGE_NONE && batches->image[before] != MERGE_NONE &&
        tree->items[batches->image[before]].parent == parent)
        after = batches->image[before];
    else if (tree->items[node].direction != DIR_BACKWARD)
        after = tree->items[parent].last_child;
    merge_unlink(tree, node);
    merge_link(tree, parent, node, after);
    merge_note(tree, node,
               str_printf(tree->arena, tr("from rank %lld"), (long long)tree->items[node].rank));
}

static void keep(Batches *batches, uint32_t node)
{
    merge_index_add(batches->tree, &batches->index, node);
    batches->image[node] = node;
    batches->moved[node] = true;
}

// Of experts and of communication ranks may have more than others; of all else one lost it.
static void say_left_out(const Batches *batches, uint32_t node)
{
    const MergeTree *tree = batches->tree;
    const char *text = tr("parallel merge: a node that the first rank with other tokens does not "
                          "have is left out");
    if (batches->expert[node] || merge_is_communication(merge_name(tree, node)))
        notices_add(tree->notices, NOTICE_WARNING, tree->where, "%s", text);
    else
        notices_partial(tree->notices, tree->where, "%s", text);
}

// A call that a stage has marked is marked further where the same stage of other ranks has it too.
static void mark_own(const Batches *batches, uint32_t node)
{
    MergeTree *tree = batches->tree;
    merge_mark_rank(tree, node, tree->items[node].rank);
    if (merge_find(&batches->index, tree->items[node].name) != MERGE_NONE)
        merge_mark_further(tree, node, tree->items[node].rank);
}

static void take_node(Batches *batches, uint32_t node)
{
    MergeTree *tree = batches->tree;
    uint32_t above = batches->above[node], parent = batches->image[above];
    if (parent == MERGE_NONE || tree->items[node].type == NODE_GROUP)
        return;  // loose APIs are those of each rank
    if (batches->moved[above]) {
        if (tree->items[node].type == NODE_API)
            mark_own(batches, node);
        keep(batches, node);
        return;
    }
    uint32_t known = node_like(batches, node, parent);
    if (known != MERGE_NONE) {
        join(batches, known, node);
        return;
    }
    if (!batches->expert[node] || tree->items[node].type == NODE_API ||
        merge_find(&batches->index, tree->items[node].name) != MERGE_NONE) {
        say_left_out(batches, node);
        return;
    }
    move(batches, node, parent);
    keep(batches, node);
}

static void see_tree(Batches *batches, const MergeList *list, size_t batch)
{
    const MergeTree *tree = batches->tree;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t node = list->items[i];
        Str name = merge_name(tree, node), api = merge_api(name);
        uint32_t above = batches->above[node] = tree->items[node].parent;
        batches->before[node] = tree->items[node].previous;
        batches->image[node] = batches->cursor[node] = batches->partner[node] = MERGE_NONE;
        batches->last[node] = node;
        batches->batch[node] = batch;
        batches->expert[node] = merge_is_expert(name) || (i > 0 && batches->expert[above]);
        if (i > 0 && merge_is_communication(name) &&
            (str_find(api, STR("send"), 0) != SIZE_MAX ||
             str_find(api, STR("recv"), 0) != SIZE_MAX))
            batches->exchanges[above] = true;
    }
}

// Loose APIs are those of each rank.
static bool is_loose(const MergeTree *tree, uint32_t node)
{
    uint32_t above = tree->items[node].parent;
    return tree->items[node].type == NODE_GROUP ||
           (above != MERGE_NONE && tree->items[above].type == NODE_GROUP);
}

// ---- their values

// Where the tensor has no element there are no statistics, and nothing is missing.
static bool is_empty(const MergeTree *tree, const Slot *slot)
{
    Str shape = names_text(tree->names, slot->shape), part;
    Str rest = str_slice(shape, 1, shape.size > 1 ? shape.size - 1 : 1);
    while (slot->kind == SLOT_TENSOR && str_split(&rest, ',', &part))
        if (str_equal(str_trim(part), STR("0")))
            return true;
    return false;
}

static void gather_one(Batches *batches, uint32_t node, const Slot *slot)
{
    const MergeTree *tree = batches->tree;
    uint64_t elements = shape_elements(names_text(tree->names, slot->shape));
    if (is_empty(tree, slot))
        return;
    batches->slots[batches->count] = slot;
    batches->parts[batches->count] =
        batches->ranks->experts[batches->batch[node] * batches->ranks->tp * batches->ranks->pp];
    batches->weights[batches->count] = elements ? (double)elements : 1;
    batches->numbers[batches->count++] = tree->items[node].rank;
}

// Whether a rank tells a statistic of the slot that another one does not.
static bool lost_statistics(const Batches *batches)
{
    double value;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        for (size_t i = 1; i < batches->count; i++)
            if (slot_stat(batches->slots[i], (Stat)stat, &value) !=
                slot_stat(batches->slots[0], (Stat)stat, &value))
                return true;
    return false;
}

// The slot on all ranks that have the node. False if one of them does not have what is of no
// expert, or statistics that another one tells.
static bool gather(Batches *batches, uint32_t node, uint32_t slot)
{
    const MergeTree *tree = batches->tree;
    size_t holders = 0;
    batches->count = 0;
    for (uint32_t at = node; at != MERGE_NONE; at = batches->partner[at]) {
        const Slot *found = merge_slot_like(&tree->items[at], &tree->items[node], slot);
        if (!found || found->kind != tree->items[node].slots[slot].kind)
            continue;
        gather_one(batches, at, found);
        holders++;
    }
    return (holders == batches->ranks->batches || batches->expert[node]) &&
           !lost_statistics(batches);
}

static bool all_equal(const Batches *batches)
{
    for (size_t i = 1; i < batches->count; i++)
        if (!merge_slots_equal(batches->slots[0], batches->slots[i]))
            return false;
    return true;
}

// Ranks with the same part of the experts hold copies of its weights: one of each stays.
static void leave_copies(Batches *batches)
{
    size_t kept = 0, ep = batches->ranks->ep;
    size_t *first = batches->first;
    memset(first, 0, ep * sizeof *first);
    for (size_t i = 0; i < batches->count; i++) {
        size_t *seen = &first[batches->parts[i]];
        if (*seen && !merge_slots_equal(batches->slots[*seen - 1], batches->slots[i]))
            return;
        *seen = *seen ? *seen : i + 1;
    }
    for (size_t i = 0; i < batches->count; i++) {
        if (first[batches->parts[i]] != i + 1)
            continue;
        batches->slots[kept] = batches->slots[i];
        batches->parts[kept] = batches->parts[i];
        batches->weights[kept] = batches->weights[i];
        batches->numbers[kept++] = batches->numbers[i];
    }
    batches->count = kept;
}

// The size of all parts together: that of the first, times their number; or where they differ, a
// shape of one dimension with all elements. False if it cannot be told.
static bool join_shapes(const Batches *batches, Slot *own)
{
    const Names *names = batches->tree->names;
    uint64_t sum = 0;
    bool alike = true;
    for (size_t i = 0; i < batches->count; i++) {
        uint64_t elements = shape_elements(names_text(names, batches->slots[i]->shape));
        if (elements == 0 || sum > UINT64_MAX - elements)
            return false;
        sum += elements;
        alike = alike && batches->slots[i]->shape == batches->slots[0]->shape;
    }
    own->parts = alike ? (uint32_t)batches->count : 1;
    if (!alike)
        own->shape = names_add(batches->tree->names, str_printf(batches->tree->scratch, "[%llu]",
                                                                (unsigned long long)sum));
    return true;
}

static void leave_unmerged(Batches *batches, uint32_t node, uint32_t slot, Unmerged why)
{
    MergeTree *tree = batches->tree;
    Slot *own = &tree->items[node].slots[slot];
    bool lost = why == UNMERGED_KIND || why == UNMERGED_LACKING;
    if (batches->count) {
        *own = *batches->slots[0];
        merge_slot_overview(own, batches->slots + 1, batches->count - 1);
    }
    own->parts = lost ? SLOT_LACKING : SLOT_UNMERGED;
    if (lost)
        notices_partial(tree->notices, tree->where, "%s", tr(reasons[why]));
    else
        notices_add(tree->notices, NOTICE_INFO, tree->where, "%s", tr(reasons[why]));
    merge_note(tree, node,
               str_printf(tree->arena, STR_FMT "." STR_FMT ": %s", STR_ARG(merge_name(tree, node)),
                          STR_ARG(names_text(tree->names, own->path)), tr(reasons[why])));
}

// What went into the forward call is whole on every rank, so what it gets is a term of a sum.
static bool is_gradient_of_whole(const Batches *batches, uint32_t node, const Slot *slot)
{
    const MergeTree *tree = batches->tree;
    const MergeNode *at = &tree->items[node];
    Str path = names_text(tree->names, slot->path);
    if (at->direction != DIR_BACKWARD || slot->group != GROUP_OUTPUT)
        return false;
    Str forward =
        str_replace(tree->scratch, merge_name(tree, node), STR(".backward"), STR(".forward"));
    Str input = str_replace(tree->scratch, path, STR("output."), STR("input."));
    uint32_t call = merge_find(&batches->index, names_find(tree->names, forward));
    NameId given = names_find(tree->names, input);
    for (uint32_t i = 0; call != MERGE_NONE && i < tree->items[call].slot_count; i++) {
        const Slot *other = &tree->items[call].slots[i];
        if (other->path == given && other->group == GROUP_INPUT)
            return other->kind == SLOT_TENSOR && other->parts == 0 &&
                   batches->partner[call] != MERGE_NONE;
    }
    return false;
}

// Whether the ranks that hold a part of the experts are more than one for each part.
static bool has_copies(const Batches *batches)
{
    return batches->ranks->batches > batches->ranks->ep;
}

// How often each of several things was met, as a router counts the tokens of its experts: ranks
// with as many tokens count as many in all, so that their Means are one, as no others are.
static bool are_counts(const Batches *batches)
{
    const Names *names = batches->tree->names;
    Str dtype = names_text(names, batches->slots[0]->dtype);
    Str shape = names_text(names, batches->slots[0]->shape);
    double mean, other;
    if (str_find(dtype, STR("nt"), 0) == SIZE_MAX || str_find_char(shape, ',', 0) != SIZE_MAX ||
        !slot_stat(batches->slots[0], STAT_MEAN, &mean) || mean == 0)
        return false;
    for (size_t i = 1; i < batches->count; i++)
        if (batches->slots[i]->shape != batches->slots[0]->shape ||
            !slot_stat(batches->slots[i], STAT_MEAN, &other) || other != mean)
            return false;
    return true;
}

// UNMERGED_COUNT: it can be merged.
static Unmerged why_unmerged(const Batches *batches, uint32_t node, const Slot *own)
{
    const MergeTree *tree = batches->tree;
    const MergeNode *at = &tree->items[node];
    bool own_experts = batches->expert[node] && batches->ranks->ep > 1 && !has_copies(batches);
    if ((own->group == GROUP_GRADS && !own_experts) || is_gradient_of_whole(batches, node, own))
        return UNMERGED_GRADIENT;
    if (own->kind != SLOT_TENSOR)
        return UNMERGED_NUMBER;
    if (at->type == NODE_API && batches->exchanges[at->parent])
        return UNMERGED_EXCHANGED;
    bool number = shape_elements(names_text(tree->names, own->shape)) == 1;
    return number || are_counts(batches) ? UNMERGED_NUMBER : UNMERGED_COUNT;
}

static void merge_parts(Batches *batches, uint32_t node, uint32_t slot)
{
    MergeTree *tree = batches->tree;
    Slot *own = &tree->items[node].slots[slot];
    Unmerged why = why_unmerged(batches, node, own);
    Slot first = *batches->slots[0];
    *own = first;
    if (own->group == GROUP_PARAMETERS && !batches->expert[node]) {
        notices_partial(tree->notices, tree->where, "%s",
                        tr("parallel merge: a weight differs over ranks with other tokens, which "
                           "are replicas of it; what all of them record is compared"));
        merge_slot_overview(own, batches->slots + 1, batches->count - 1);
        return;
    }
    if (why == UNMERGED_COUNT && !join_shapes(batches, own))
        why = UNMERGED_KIND;
    if (why != UNMERGED_COUNT) {
        leave_unmerged(batches, node, slot, why);
        return;
    }
    merge_slot_values(tree, node, slot, batches->slots + 1, batches->numbers, batches->weights,
                      batches->count - 1);
}

// Gradients of the mean of all tokens, where each rank took that of its own.
static void scale_gradient(const Batches *batches, uint32_t node, Slot *slot)
{
    const MergeTree *tree = batches->tree;
    bool backward = tree->items[node].direction == DIR_BACKWARD || slot->group == GROUP_GRADS;
    Str dtype = names_text(tree->names, slot->dtype);
    bool real = str_find(dtype, STR("loat"), 0) != SIZE_MAX;
    if (!batches->ranks->mean || !backward || !real)
        return;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double value;
        if (!slot_stat(slot, (Stat)stat, &value))
            continue;
        slot->tag[stat] = TAG_REAL;
        slot->stat[stat].real = value / (double)batches->ranks->batches;
    }
}

static void merge_slot(Batches *batches, uint32_t node, uint32_t slot)
{
    Slot *own = &batches->tree->items[node].slots[slot];
    if (!gather(batches, node, slot)) {
        leave_unmerged(batches, node, slot, UNMERGED_LACKING);
        return;
    }
    if (batches->ranks->ep > 1 && has_copies(batches))
        leave_copies(batches);
    if (batches->count && batches->slots[0] != own)
        *own = *batches->slots[0];  // it has no element on the first rank
    bool own_tokens = batches->count == 1 && batches->expert[node];
    if (batches->count && !all_equal(batches)) {
        merge_parts(batches, node, slot);
        own_tokens = true;
    }
    if (own_tokens)
        scale_gradient(batches, node, own);
}

// Weights of grouped experts that other ranks hold: "weight2", "weight3".
static void add_slots(Batches *batches, uint32_t node, uint32_t from)
{
    MergeTree *tree = batches->tree;
    MergeNode *own = &tree->items[node];
    const MergeNode *other = &tree->items[from];
    Slot *slots = ARENA_ARRAY(tree->scratch, Slot, (size_t)own->slot_count + other->slot_count);
    uint32_t count = own->slot_count;
    memcpy(slots, own->slots, count * sizeof *slots);
    for (uint32_t i = 0; i < other->slot_count; i++) {
        const Slot *slot = &other->slots[i];
        bool weight = slot->group == GROUP_PARAMETERS || slot->group == GROUP_GRADS;
        if (!weight || merge_slot_like(own, other, i))
            continue;
        slots[count] = *slot;
        scale_gradient(batches, node, &slots[count]);
        if (slot->group == GROUP_GRADS && has_copies(batches))
            slots[count].parts = SLOT_UNMERGED;
        count++;
    }
    if (count == own->slot_count)
        return;
    own->slots = slots;
    own->slot_count = count;
    own->mixed_slots = true;
    merge_index_slots(tree, own);
}

static void merge_node(Batches *batches, uint32_t node)
{
    const MergeTree *tree = batches->tree;
    if (merge_is_communication(merge_name(tree, node)))
        return;
    for (uint32_t i = 0; i < tree->items[node].slot_count; i++)
        merge_slot(batches, node, i);
    for (uint32_t at = batches->partner[node]; batches->expert[node] && at != MERGE_NONE;
         at = batches->partner[at])
        add_slots(batches, node, at);
}

static Batches batches_new(MergeTree *tree, const MergeRanks *ranks, uint32_t root)
{
    Arena *scratch = tree->scratch;
    return (Batches){.tree = tree,
                     .ranks = ranks,
                     .index = merge_index(tree, root),
                     .image = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .moved = ARENA_ARRAY(scratch, bool, tree->count),
                     .above = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .before = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .cursor = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .partner = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .last = ARENA_ARRAY(scratch, uint32_t, tree->count),
                     .batch = ARENA_ARRAY(scratch, size_t, tree->count),
                     .expert = ARENA_ARRAY(scratch, bool, tree->count),
                     .exchanges = ARENA_ARRAY(scratch, bool, tree->count),
                     .slots = ARENA_ARRAY(scratch, const Slot *, ranks->batches),
                     .parts = ARENA_ARRAY(scratch, size_t, ranks->batches),
                     .first = ARENA_ARRAY(scratch, size_t, ranks->ep),
                     .weights = ARENA_ARRAY(scratch, double, ranks->batches),
                     .numbers = ARENA_ARRAY(scratch, int64_t, ranks->batches)};
}

void merge_batches(MergeTree *tree, const uint32_t *roots, const MergeRanks *ranks)
{
    if (ranks->batches < 2)
        return;
    size_t each = ranks->tp * ranks->pp;
    size_t *parts = ARENA_ARRAY(tree->scratch, size_t, ranks->batches);
    for (size_t batch = 0; batch < ranks->batches; batch++)
        parts[batch] = ranks->experts[batch * each];
    if (ranks->ep > 1)
        merge_number_experts(tree, roots, parts, ranks->batches, ranks->ep);
    Batches batches = batches_new(tree, ranks, roots[0]);
    for (size_t batch = 0; batch < ranks->batches; batch++) {
        MergeList list = merge_list(tree, roots[batch]);
        see_tree(&batches, &list, batch);
        batches.image[roots[batch]] = roots[0];
        for (size_t i = 1; i < list.count && batch > 0; i++)
            take_node(&batches, list.items[i]);
    }
    MergeList list = merge_list(tree, roots[0]);
    for (int backward = 0; backward < 2; backward++)
        for (size_t i = 1; i < list.count; i++) {
            bool is = tree->items[list.items[i]].direction == DIR_BACKWARD;
            if (is == backward && !is_loose(tree, list.items[i]))
                merge_node(&batches, list.items[i]);
        }
}
