// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "base/words.h"
#include "model/ranks/merge_layers.h"

// A rank that holds a part of the experts counts its own from 0 (Megatron, DeepSpeed), or by their
// number in the model. An expert without tokens is in no dump, so the highest number that is seen
// says little: how many there are is known by the router, whose results have a column for each.

bool merge_is_expert(Str id)
{
    static const Str word = {"experts", 7}, shared = {"shared_", 7};
    for (size_t at = 0; (at = str_find(id, word, at)) != SIZE_MAX; at += word.size)
        if (at < shared.size || !str_equal(str_slice(id, at - shared.size, at), shared))
            return true;
    return false;
}

static bool expert_place(Str id, LayerPlace *out)
{
    static const char *const words[] = {".experts.", ".local_experts.", ".deepspeed_experts."};
    return merge_is_expert(id) && numbered_place(id, words, sizeof words / sizeof *words, out);
}

typedef struct ExpertRange {
    bool some, local;  // local: the id itself says that numbers are the rank's own
    int64_t first, last;
} ExpertRange;

static void see_range(const MergeTree *tree, const MergeList *list, ExpertRange *range)
{
    LayerPlace place;
    for (size_t i = 1; i < list->count; i++) {
        if (!expert_place(merge_name(tree, list->items[i]), &place))
            continue;
        if (!range->some || place.number < range->first)
            range->first = place.number;
        if (!range->some || place.number > range->last)
            range->last = place.number;
        range->some = true;
        range->local = range->local || !str_ends(place.prefix, STR(".experts."));
    }
}

// ---- how many there are

static bool is_router(Str id)
{
    return !merge_is_expert(id) && (str_find(id, STR(".router."), 0) != SIZE_MAX ||
                                    str_find(id, STR(".gate."), 0) != SIZE_MAX);
}

// The columns of [tokens, experts], or the rows of a weight [experts, width]; 0: no such shape.
static int64_t width_of(const MergeTree *tree, const Slot *slot)
{
    Str shape = names_text(tree->names, slot->shape), part;
    Str rest = str_slice(shape, 1, shape.size > 1 ? shape.size - 1 : 1);
    int64_t sizes[2] = {0, 0};
    size_t count = 0;
    for (; slot->kind == SLOT_TENSOR && str_split(&rest, ',', &part); count++)
        if (count < 2 && !str_to_int64(str_trim(part), &sizes[count]))
            return 0;
    if (count != 2)
        return 0;
    return slot->group == GROUP_OUTPUT ? sizes[1] : slot->group == GROUP_PARAMETERS ? sizes[0] : 0;
}

static int64_t router_width(const MergeTree *tree, const MergeList *list)
{
    int64_t most = 0;
    for (size_t i = 1; i < list->count; i++) {
        const MergeNode *node = &tree->items[list->items[i]];
        if (node->direction == DIR_BACKWARD || !is_router(merge_name(tree, list->items[i])))
            continue;
        for (uint32_t j = 0; j < node->slot_count; j++) {
            int64_t width = width_of(tree, &node->slots[j]);
            most = width > most ? width : most;
        }
    }
    return most;
}

typedef struct ExpertCount {
    int64_t each;  // that a part counts for itself; 0: numbers are those of the whole model
    bool unsure;
} ExpertCount;

// Numbers of the whole model lie in the part's own stretch of `each`.
static bool numbered_whole(const ExpertRange *ranges, size_t parts, int64_t each)
{
    for (size_t i = 0; i < parts; i++)
        if (ranges[i].some && (ranges[i].local || ranges[i].first < (int64_t)i * each ||
                               ranges[i].last >= ((int64_t)i + 1) * each))
            return false;
    return true;
}

// Without a router: ranges that meet, or ids that say so, are the parts' own numbers, of which the
// highest is known only where all parts have it.
static ExpertCount counted_by_ranges(const ExpertRange *ranges, size_t parts)
{
    int64_t most = 0;
    bool own = false, unlike = false;
    for (size_t i = 0; i < parts; i++) {
        if (!ranges[i].some)
            continue;
        unlike = unlike || (most && ranges[i].last + 1 != most);
        most = ranges[i].last >= most ? ranges[i].last + 1 : most;
        own = own || ranges[i].local;
        for (size_t j = 0; j < i && !own; j++)
            own = ranges[j].some && ranges[i].first <= ranges[j].last &&
                  ranges[j].first <= ranges[i].last;
    }
    return (ExpertCount){own ? most : 0, own && unlike};
}

static ExpertCount count_experts(const ExpertRange *ranges, size_t parts, int64_t width)
{
    ExpertCount seen = counted_by_ranges(ranges, parts);
    int64_t each = width / (int64_t)parts;
    if (each == 0 || width % (int64_t)parts != 0)
        return seen;
    if (numbered_whole(ranges, parts, each))
        return (ExpertCount){0, false};
    for (size_t i = 0; i < parts; i++)
        if (ranges[i].some && ranges[i].last >= each)
            return seen;  // it is no router's width, or the layout is another
    return (ExpertCount){each, false};
}

// ---- weights of grouped experts: "parameters.weight0", of gradients "weight0"

// Where the number of "weight12" begins; the size of the path if there is none.
static size_t weight_number(Str path, int64_t *number)
{
    size_t dot = str_find(path, STR("parameters."), 0);
    Str last = str_slice(path, dot == 0 ? STR("parameters.").size : 0, path.size);
    size_t head = str_starts(last, STR("weight")) ? 6 : str_starts(last, STR("bias")) ? 4 : 0;
    Str digits = str_slice(last, head, last.size);
    if (head == 0 || digits.size == 0 || digits.data[0] < '0' || digits.data[0] > '9' ||
        !str_to_int64(digits, number) || *number > INT32_MAX)
        return path.size;
    return path.size - digits.size;
}

static void shift_weights(MergeTree *tree, MergeNode *node, size_t part)
{
    int64_t number, most = -1;
    for (uint32_t i = 0; i < node->slot_count; i++) {
        Str path = names_text(tree->names, node->slots[i].path);
        if (weight_number(path, &number) < path.size && number > most)
            most = number;
    }
    for (uint32_t i = 0; most >= 0 && i < node->slot_count; i++) {
        Str path = names_text(tree->names, node->slots[i].path);
        size_t start = weight_number(path, &number);
        if (start == path.size)
            continue;
        Str head = str_slice(path, 0, start);
        number += (int64_t)part * (most + 1);
        node->slots[i].path = names_add(
            tree->names, str_printf(tree->scratch, STR_FMT "%" PRId64, STR_ARG(head), number));
    }
    merge_index_slots(tree, node);
}

// ----

void merge_number_experts(MergeTree *tree, const uint32_t *roots, const size_t *parts, size_t count,
                          size_t ep)
{
    ExpertRange *ranges = ARENA_ARRAY(tree->scratch, ExpertRange, ep);
    int64_t width = 0;
    for (size_t i = 0; i < count; i++) {
        MergeList list = merge_list(tree, roots[i]);
        see_range(tree, &list, &ranges[parts[i]]);
        int64_t own = router_width(tree, &list);
        width = own > width ? own : width;
    }
    ExpertCount counted = count_experts(ranges, ep, width);
    tree->experts_unsure = counted.unsure;
    if (counted.unsure)
        notices_partial(tree->notices, tree->where, "%s",
                        tr("parallel merge: ranks hold different numbers of experts and no router "
                           "shows how many there are; experts are not compared"));
    for (size_t i = 0; i < count; i++) {
        MergeList list = merge_list(tree, roots[i]);
        for (size_t j = 1; j < list.count && parts[i]; j++) {
            LayerPlace place;
            Str name = merge_name(tree, list.items[j]);
            if (counted.each && expert_place(name, &place))
                merge_shift_number(tree, list.items[j], &place, (int64_t)parts[i] * counted.each);
            else if (merge_is_expert(name))
                shift_weights(tree, &tree->items[list.items[j]], parts[i]);
        }
    }
}
