// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>

#include "model/ranks/merge_layers.h"

// A rank that holds a part of the experts counts its own from 0 (Megatron, DeepSpeed), or by their
// number in the model. Parts that use the same numbers count their own.

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
    bool some;
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
    }
}

// How many experts each part counts for itself; 0 where all have numbers of the whole model. The
// ranges of such parts do not meet.
static int64_t counted_alone(const ExpertRange *ranges, size_t count)
{
    int64_t most = 0;
    bool meet = false;
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].some && ranges[i].last >= most)
            most = ranges[i].last + 1;
        for (size_t j = 0; j < i && ranges[i].some && !meet; j++)
            meet = ranges[j].some && ranges[i].first <= ranges[j].last &&
                   ranges[j].first <= ranges[i].last;
    }
    return meet ? most : 0;
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
}

// ----

void merge_number_experts(MergeTree *tree, const uint32_t *roots, const size_t *parts, size_t count)
{
    ExpertRange *ranges = ARENA_ARRAY(tree->scratch, ExpertRange, count);
    for (size_t i = 0; i < count; i++) {
        MergeList list = merge_list(tree, roots[i]);
        see_range(tree, &list, &ranges[parts[i]]);
    }
    int64_t each = counted_alone(ranges, count);
    for (size_t i = 0; i < count; i++) {
        MergeList list = merge_list(tree, roots[i]);
        for (size_t j = 1; j < list.count && parts[i]; j++) {
            LayerPlace place;
            Str name = merge_name(tree, list.items[j]);
            if (each && expert_place(name, &place))
                merge_shift_number(tree, list.items[j], &place, (int64_t)parts[i] * each);
            else if (merge_is_expert(name))
                shift_weights(tree, &tree->items[list.items[j]], parts[i]);
        }
    }
}
