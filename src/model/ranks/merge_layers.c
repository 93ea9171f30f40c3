// SPDX-License-Identifier: Apache-2.0
#include "model/ranks/merge_layers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/words.h"
#include "read/dump/op_name.h"

// The stages of a pipeline number their layers from 0 each, or all in one row. Numbers that only
// one stage uses stay; where two stages use the same numbers for different layers, the later stage
// continues where the earlier ones end.

bool numbered_place(Str id, const char *const *words, size_t count, LayerPlace *out)
{
    *out = (LayerPlace){.start = SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        Str word = str_of(words[i]);
        for (size_t at = 0; (at = str_find(id, word, at)) != SIZE_MAX; at++) {
            size_t start = at + word.size, end = start;
            while (end < id.size && id.data[end] >= '0' && id.data[end] <= '9')
                end++;
            int64_t number;
            bool ends = end == id.size || id.data[end] == '.' || id.data[end] == '#';
            if (end == start || !ends || start >= out->start ||
                !str_to_int64(str_slice(id, start, end), &number) || number > INT32_MAX)
                continue;
            *out = (LayerPlace){str_slice(id, 0, start), start, end, number};
            break;
        }
    }
    return out->start != SIZE_MAX;
}

bool layer_place(Str id, LayerPlace *out)
{
    static const char *const words[] = {".layers.", ".layer."};
    return numbered_place(id, words, sizeof words / sizeof *words, out);
}

// What the reader said of a name holds of the one that it became. A stem is the head of its name, a
// path the tail of its stem.
static void carry_note(Names *names, NameId from, NameId to, const LayerPlace *place)
{
    OpName what = op_name_of(names, from);
    Str old = names_text(names, from), now = names_text(names, to);
    if (!names_note(names, from) || names_note(names, to) || what.stem.size < place->end)
        return;
    size_t head = what.stem.size - what.path.size;
    bool ends = what.path.size > 0 && str_ends(what.stem, what.path);
    what.stem = str_slice(now, 0, what.stem.size + now.size - old.size);
    if (ends)
        what.path = str_slice(what.stem, head, what.stem.size);
    op_name_set(names, to, what);
}

void merge_shift_number(MergeTree *tree, uint32_t node, const LayerPlace *place, int64_t shift)
{
    Str name = merge_name(tree, node), tail = str_slice(name, place->end, name.size);
    Str shifted = str_printf(tree->scratch, STR_FMT "%" PRId64 STR_FMT, STR_ARG(place->prefix),
                             place->number + shift, STR_ARG(tail));
    NameId before = tree->items[node].name;
    tree->items[node].name = names_add(tree->names, shifted);
    carry_note(tree->names, before, tree->items[node].name, place);
}

// The numbers that one tree uses below one prefix.
typedef struct LayerUse {
    NameId prefix;
    uint32_t tree;  // which of the trees
    int64_t first, last;
    int64_t shift;
} LayerUse;

typedef struct LayerUses {
    LayerUse *items;
    size_t count, capacity;
} LayerUses;

typedef struct Numbering {
    MergeTree *tree;
    const uint32_t *roots;
    size_t count;
    Names *prefixes;
    uint32_t *use_of;  // count by prefix and tree: its use + 1
    size_t use_capacity;
    LayerUses uses;
    bool *split;  // by prefix: trees have other values under the same id
} Numbering;

static uint32_t *use_slot(Numbering *numbering, NameId prefix, size_t tree)
{
    size_t at = prefix * numbering->count + tree;
    if (at >= numbering->use_capacity) {
        size_t capacity = at * 2 + 64;
        numbering->use_of =
            arena_grow(numbering->tree->scratch, numbering->use_of,
                       numbering->use_capacity * sizeof(uint32_t), capacity * sizeof(uint32_t));
        numbering->use_capacity = capacity;
    }
    return &numbering->use_of[at];
}

static void see_layer(Numbering *numbering, uint32_t part, const LayerPlace *place)
{
    NameId prefix = names_add(numbering->prefixes, place->prefix);
    uint32_t *slot = use_slot(numbering, prefix, part);
    if (*slot == 0) {
        *ARRAY_PUSH(numbering->tree->scratch, &numbering->uses) = (LayerUse){
            .prefix = prefix, .tree = part, .first = place->number, .last = place->number};
        *slot = (uint32_t)numbering->uses.count;
        return;
    }
    LayerUse *use = &numbering->uses.items[*slot - 1];
    if (place->number < use->first)
        use->first = place->number;
    if (place->number > use->last)
        use->last = place->number;
}

static bool differ(const MergeNode *a, const MergeNode *b, bool outputs)
{
    for (uint32_t i = 0; i < a->slot_count; i++) {
        const Slot *slot = &a->slots[i];
        bool input = slot->group == GROUP_INPUT || slot->group == GROUP_KWARGS;
        if (outputs ? slot->group != GROUP_OUTPUT : !input)
            continue;
        const Slot *other = merge_slot_like(b, a, i);
        if (slot->kind == SLOT_TENSOR && (!other || !merge_slots_equal(slot, other)))
            return true;
    }
    return false;
}

// Inputs and outputs both differ from those of a node with the same id in an earlier tree.
static void see_split(Numbering *numbering, const MergeIndex *earlier, uint32_t node, NameId prefix)
{
    const MergeTree *tree = numbering->tree;
    uint32_t other = merge_find(earlier, tree->items[node].name);
    if (numbering->split[prefix] || other == MERGE_NONE)
        return;
    const MergeNode *a = &tree->items[other], *b = &tree->items[node];
    numbering->split[prefix] = differ(a, b, false) && differ(a, b, true);
}

static void find_splits(Numbering *numbering)
{
    MergeTree *tree = numbering->tree;
    numbering->split = ARENA_ARRAY(tree->scratch, bool, names_count(numbering->prefixes) + 1);
    MergeIndex earlier = merge_index(tree, numbering->roots[0]);
    for (size_t part = 1; part < numbering->count; part++) {
        MergeList list = merge_list(tree, numbering->roots[part]);
        LayerPlace place;
        for (size_t i = 1; i < list.count; i++)
            if (layer_place(merge_name(tree, list.items[i]), &place))
                see_split(numbering, &earlier, list.items[i],
                          names_find(numbering->prefixes, place.prefix));
        for (size_t i = 1; i < list.count; i++)
            if (merge_find(&earlier, tree->items[list.items[i]].name) == MERGE_NONE)
                merge_index_add(tree, &earlier, list.items[i]);
    }
}

static bool overlap(const LayerUse *a, const LayerUse *b)
{
    return a->first <= b->last && b->first <= a->last;
}

// Stages that begin with the same number have numbers of their own; those that overlap otherwise
// cannot be told from a dump that is broken.
static void shift_prefix(Numbering *numbering, NameId prefix)
{
    MergeTree *tree = numbering->tree;
    const LayerUse *first = NULL;
    int64_t next = 0;
    bool shifts = false;
    for (size_t part = 0; part < numbering->count; part++) {
        uint32_t slot = *use_slot(numbering, prefix, part);
        if (slot == 0)
            continue;
        LayerUse *use = &numbering->uses.items[slot - 1];
        if (first && (shifts || use->first < next)) {
            bool odd = !shifts && use->first != first->first && overlap(first, use);
            if (odd)
                notices_add(tree->notices, NOTICE_WARNING, tree->where, "%s",
                            tr("parallel merge: stages of the pipeline have layers of the same "
                               "number; they are numbered in the order of the stages"));
            shifts = true;
            use->shift = next - use->first;
        }
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a slot is there
        next = use->last + use->shift + 1;
        first = first ? first : use;
    }
}

static void rename_layers(Numbering *numbering, size_t part)
{
    MergeTree *tree = numbering->tree;
    MergeList list = merge_list(tree, numbering->roots[part]);
    for (size_t i = 1; i < list.count; i++) {
        LayerPlace place;
        if (!layer_place(merge_name(tree, list.items[i]), &place))
            continue;
        NameId prefix = names_find(numbering->prefixes, place.prefix);
        uint32_t slot = *use_slot(numbering, prefix, part);
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has a slot is there
        int64_t shift = slot ? numbering->uses.items[slot - 1].shift : 0;
        if (shift)
            merge_shift_number(tree, list.items[i], &place, shift);
    }
}

void merge_number_layers(MergeTree *tree, const uint32_t *roots, size_t count)
{
    Numbering numbering = {
        .tree = tree, .roots = roots, .count = count, .prefixes = names_new(tree->scratch)};
    for (size_t part = 0; part < count; part++) {
        MergeList list = merge_list(tree, roots[part]);
        LayerPlace place;
        for (size_t i = 1; i < list.count; i++)
            if (layer_place(merge_name(tree, list.items[i]), &place))
                see_layer(&numbering, (uint32_t)part, &place);
    }
    find_splits(&numbering);
    for (NameId prefix = 1; prefix <= names_count(numbering.prefixes); prefix++)
        if (numbering.split[prefix])
            shift_prefix(&numbering, prefix);
    for (size_t part = 1; part < count; part++)
        rename_layers(&numbering, part);
}
