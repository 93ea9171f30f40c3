// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "compare/match/argument_names.h"
#include "compare/match/match_fused.h"
#include "read/dump/op_name.h"

#define SLOT_FREE UINT32_MAX

// A golden slot by where it stands; `next`: of a run of equal places, at its first one, where the
// slots begin that may still be free.
typedef struct SlotPlace {
    NameId path;
    SlotGroup group;
    uint32_t slot, next;
} SlotPlace;

typedef struct SlotMatcher {
    const Dump *golden, *target;
    const NameId *golden_name;  // by target NameId: the same text among golden's names
    const MatchOptions *options;
    const MappedRows *rows;
    bool cross;           // frameworks differ
    bool fused;           // one side recorded fused kernels
    bool *used;           // by golden slot
    bool *settled;        // by target slot: has a partner, or shall have none
    uint32_t *golden_of;  // by target slot
    SlotPlace *places;    // of the slots of golden op `placed`, sorted
    const Op *placed;     // NULL: of none
    StrBuf path;
} SlotMatcher;

// The pair of ops at work.
typedef struct OpsAtWork {
    const Op *golden, *target;
    Str golden_stem, target_stem;
} OpsAtWork;

static void pair_slot(SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    matcher->golden_of[target] = golden;
    matcher->used[golden] = true;
    matcher->settled[target] = true;
}

static bool same_place(const SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    const Slot *b = &matcher->golden->slots[golden], *n = &matcher->target->slots[target];
    return !matcher->used[golden] && b->path == matcher->golden_name[n->path] &&
           slot_place_group(b) == slot_place_group(n);
}

static int compare_places(const void *a, const void *b)
{
    const SlotPlace *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static void sort_places(SlotMatcher *matcher, const Op *golden)
{
    for (uint32_t i = 0; i < golden->slot_count; i++) {
        uint32_t slot = golden->first_slot + i;
        const Slot *at = &matcher->golden->slots[slot];
        matcher->places[i] = (SlotPlace){at->path, slot_place_group(at), slot, i};
    }
    if (golden->slot_count > 1)
        qsort(matcher->places, golden->slot_count, sizeof *matcher->places, compare_places);
    for (uint32_t i = 0; i < golden->slot_count; i++)
        matcher->places[i].next = i;
    matcher->placed = golden;
}

// The first free golden slot of that path and group. Each slot is passed over once in all.
static uint32_t find_place(SlotMatcher *matcher, const Op *golden, NameId path, SlotGroup group)
{
    if (matcher->placed != golden)
        sort_places(matcher, golden);
    SlotPlace wanted = {.path = path, .group = group};
    size_t low;
    FIND_FIRST(low, golden->slot_count, compare_places(&matcher->places[low], &wanted) < 0);
    uint32_t at = low < golden->slot_count ? matcher->places[low].next : golden->slot_count;
    while (at < golden->slot_count && matcher->places[at].path == path &&
           matcher->places[at].group == group && matcher->used[matcher->places[at].slot])
        at++;
    if (low < golden->slot_count)
        matcher->places[low].next = at;
    bool found = at < golden->slot_count && matcher->places[at].path == path &&
                 matcher->places[at].group == group;
    return found ? matcher->places[at].slot : SLOT_FREE;
}

// `hint` is looked at first.
static uint32_t find_same_place(SlotMatcher *matcher, const Op *golden, uint32_t target,
                                uint32_t hint)
{
    const Slot *slot = &matcher->target->slots[target];
    // An item of debug.json that is one tensor has no path on either side.
    NameId path = matcher->golden_name[slot->path];
    if (slot->path != NAME_NONE && path == NAME_NONE)
        return SLOT_FREE;
    if (hint < golden->slot_count && same_place(matcher, golden->first_slot + hint, target))
        return golden->first_slot + hint;
    return find_place(matcher, golden, path, slot_place_group(slot));
}

static Str golden_path(const SlotMatcher *matcher, uint32_t slot)
{
    return names_text(matcher->golden->names, matcher->golden->slots[slot].path);
}

static Str target_path(const SlotMatcher *matcher, uint32_t slot)
{
    return names_text(matcher->target->names, matcher->target->slots[slot].path);
}

static uint32_t find_path(SlotMatcher *matcher, const Op *golden, SlotGroup group, Str path)
{
    NameId id = names_find(matcher->golden->names, path);
    return id == NAME_NONE ? SLOT_FREE : find_place(matcher, golden, id, group);
}

// ---- what the user says

static void pair_mapped_rows(SlotMatcher *matcher, const OpsAtWork *ops)
{
    for (uint32_t i = 0; matcher->rows && i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        uint32_t golden = matcher->rows->golden_slot_of[slot];
        if (golden == MAPPED_NONE)
            matcher->settled[slot] = true;
        else if (golden != MAPPED_NOT && !matcher->used[golden])
            pair_slot(matcher, golden, slot);
    }
}

static const struct {
    const char *prefix;  // of the paths of the group
    SlotGroup group;
} api_groups[API_GROUPS] = {
    [API_INPUT] = {"input.", GROUP_INPUT},
    [API_OUTPUT] = {"output.", GROUP_OUTPUT},
    [API_PARAMETERS] = {"parameters.", GROUP_PARAMETERS},
    [API_PARAMETERS_GRAD] = {"", GROUP_GRADS},
};

// An argument that the lists of the rule leave out has no partner.
static void pair_argument(SlotMatcher *matcher, const OpsAtWork *ops, const ApiRule *rule,
                          int group, uint32_t slot)
{
    Str prefix = str_of(api_groups[group].prefix), path = target_path(matcher, slot);
    Str rest = str_slice(path, prefix.size, path.size);
    matcher->settled[slot] = true;
    for (size_t i = 0; i < rule->group_counts[group]; i++) {
        if (!str_equal(rule->groups[group][i].target, rest))
            continue;
        matcher->path.size = 0;
        strbuf_add(&matcher->path, prefix);
        strbuf_add(&matcher->path, rule->groups[group][i].golden);
        uint32_t golden =
            find_path(matcher, ops->golden, api_groups[group].group, strbuf_str(&matcher->path));
        if (golden != SLOT_FREE)
            pair_slot(matcher, golden, slot);
        return;
    }
}

static void pair_arguments(SlotMatcher *matcher, const OpsAtWork *ops)
{
    const ApiMapping *apis = matcher->options->apis;
    const ApiRule *rule = apis ? mapping_find_api(apis, ops->target_stem) : NULL;
    if (!rule || !str_equal(rule->golden_api, ops->golden_stem))
        return;
    for (uint32_t i = ops->target->first_slot;
         i < ops->target->first_slot + ops->target->slot_count; i++)
        for (int group = 0; group < API_GROUPS; group++)
            if (!matcher->settled[i] && rule->group_counts[group] &&
                slot_place_group(&matcher->target->slots[i]) == api_groups[group].group)
                pair_argument(matcher, ops, rule, group, i);
}

// ---- places

static void pair_places(SlotMatcher *matcher, const OpsAtWork *ops)
{
    for (uint32_t i = 0; i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        if (matcher->settled[slot])
            continue;
        uint32_t found = find_same_place(matcher, ops->golden, slot, i);
        if (found != SLOT_FREE)
            pair_slot(matcher, found, slot);
    }
}

// Golden's inputs that stand by number and have a name in that API; there are few such numbers.
typedef struct NumberedInputs {
    uint32_t *items;
    size_t count, capacity;
} NumberedInputs;

static void list_numbered(const SlotMatcher *matcher, const Op *golden, Str api, Arena *arena,
                          NumberedInputs *out)
{
    for (uint32_t k = golden->first_slot; k < golden->first_slot + golden->slot_count; k++)
        if (slot_place_group(&matcher->golden->slots[k]) == GROUP_INPUT &&
            argument_name(api, golden_path(matcher, k)).size)
            *ARRAY_PUSH(arena, out) = k;
}

// "input.2" of layer_norm and "input.weight" are the same argument, whichever side names it.
static uint32_t find_argument(SlotMatcher *matcher, const OpsAtWork *ops, Str api,
                              const NumberedInputs *numbered, Str path)
{
    const Str input = STR("input.");
    Str name = argument_name(api, path), rest = str_slice(path, input.size, path.size);
    uint32_t found = SLOT_FREE;
    if (name.size) {
        matcher->path.size = 0;
        strbuf_add(&matcher->path, input);
        strbuf_add(&matcher->path, name);
        found = find_path(matcher, ops->golden, GROUP_INPUT, strbuf_str(&matcher->path));
    }
    if (!str_starts(path, input))
        return found;
    for (size_t i = 0; i < numbered->count && numbered->items[i] < found; i++) {
        uint32_t slot = numbered->items[i];
        if (!matcher->used[slot] && str_equal(argument_name(api, golden_path(matcher, slot)), rest))
            return slot;
    }
    return found;
}

static void pair_named_arguments(SlotMatcher *matcher, const OpsAtWork *ops)
{
    Str api = str_behind(ops->golden_stem, '.');
    Arena *scratch = arena_new();
    NumberedInputs numbered = {0};
    list_numbered(matcher, ops->golden, api, scratch, &numbered);
    for (uint32_t i = 0; i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        if (matcher->settled[slot] ||
            slot_place_group(&matcher->target->slots[slot]) != GROUP_INPUT)
            continue;
        uint32_t found = find_argument(matcher, ops, api, &numbered, target_path(matcher, slot));
        if (found != SLOT_FREE)
            pair_slot(matcher, found, slot);
    }
    arena_release(scratch);
}

// ---- between frameworks

// What MindSpore calls the weights of its cells.
static const char *const weight_names[][2] = {
    {"gamma", "weight"},
    {"beta", "bias"},
    {"embedding_table", "weight"},
    {"moving_mean", "running_mean"},
    {"moving_variance", "running_var"},
};

static bool same_weight(Str a, Str b)
{
    Str x = str_behind(a, '.'), y = str_behind(b, '.');
    for (size_t i = 0; i < sizeof weight_names / sizeof *weight_names; i++) {
        Str mindspore = str_of(weight_names[i][0]), pytorch = str_of(weight_names[i][1]);
        if ((str_equal(x, mindspore) && str_equal(y, pytorch)) ||
            (str_equal(y, mindspore) && str_equal(x, pytorch)))
            return true;
    }
    return false;
}

static bool is_like(const SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    const Slot *b = &matcher->golden->slots[golden], *n = &matcher->target->slots[target];
    if (b->kind != n->kind)
        return false;
    return b->kind != SLOT_TENSOR || str_equal(names_text(matcher->golden->names, b->shape),
                                               names_text(matcher->target->names, n->shape));
}

typedef bool SlotTest(const SlotMatcher *matcher, uint32_t golden, uint32_t target);

static bool is_same_weight(const SlotMatcher *matcher, uint32_t golden, uint32_t target)
{
    return is_like(matcher, golden, target) &&
           same_weight(golden_path(matcher, golden), target_path(matcher, target));
}

// What is left of a group, in order, as far as the test holds and not too far ahead.
static void pair_left(SlotMatcher *matcher, const OpsAtWork *ops, SlotGroup group, SlotTest *test)
{
    enum { AHEAD_MAX = 1024 };
    const Op *golden = ops->golden;
    uint32_t next = golden->first_slot, end = golden->first_slot + golden->slot_count;
    for (uint32_t i = 0; i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        if (matcher->settled[slot] || slot_place_group(&matcher->target->slots[slot]) != group)
            continue;
        for (uint32_t k = next; k < end && k - next < AHEAD_MAX; k++) {
            if (matcher->used[k] || slot_place_group(&matcher->golden->slots[k]) != group ||
                !test(matcher, k, slot))
                continue;
            pair_slot(matcher, k, slot);
            next = k + 1;
            break;
        }
    }
}

static void pair_across_frameworks(SlotMatcher *matcher, const OpsAtWork *ops)
{
    pair_left(matcher, ops, GROUP_PARAMETERS, is_same_weight);
    pair_left(matcher, ops, GROUP_GRADS, is_same_weight);
    pair_left(matcher, ops, GROUP_PARAMETERS, is_like);
    pair_left(matcher, ops, GROUP_GRADS, is_like);
    pair_left(matcher, ops, GROUP_INPUT, is_like);
}

// ---- all together

static bool is_complete(const SlotMatcher *matcher, const Op *target)
{
    for (uint32_t i = target->first_slot; i < target->first_slot + target->slot_count; i++)
        if (!matcher->settled[i])
            return false;
    return true;
}

static Str stem_of(const Dump *dump, const Op *op)
{
    return op_name_of(dump->names, op->name).stem;
}

static void match_op(SlotMatcher *matcher, const Op *golden, const Op *target)
{
    OpsAtWork ops = {.golden = golden, .target = target};
    if (matcher->options->apis) {
        ops.golden_stem = stem_of(matcher->golden, golden);
        ops.target_stem = stem_of(matcher->target, target);
        pair_arguments(matcher, &ops);
    }
    pair_mapped_rows(matcher, &ops);
    pair_places(matcher, &ops);
    if (is_complete(matcher, target))
        return;
    ops.golden_stem = stem_of(matcher->golden, golden);
    pair_named_arguments(matcher, &ops);
    if (matcher->cross)
        pair_across_frameworks(matcher, &ops);
    if (matcher->fused)
        pair_left(matcher, &ops, GROUP_OUTPUT, is_like);
}

void match_slots(const MatchSides *sides, const MatchOptions *options, const MappedRows *rows,
                 Arena *arena, OpMatch *out)
{
    const Dump *golden = sides->golden, *target = sides->target;
    Arena *scratch = arena_new();
    SlotMatcher matcher = {.golden = golden,
                           .target = target,
                           .golden_name = names_translate(target->names, golden->names, scratch),
                           .options = options,
                           .rows = rows,
                           .cross = golden->framework != target->framework,
                           .fused = match_is_fused(golden, target),
                           .used = ARENA_ARRAY(scratch, bool, (size_t)golden->slot_count + 1),
                           .settled = ARENA_ARRAY(scratch, bool, (size_t)target->slot_count + 1),
                           .golden_of =
                               ARENA_ARRAY(arena, uint32_t, (size_t)target->slot_count + 1)};
    uint32_t most = 0;
    for (uint32_t i = 0; i < golden->op_count; i++)
        most = golden->ops[i].slot_count > most ? golden->ops[i].slot_count : most;
    matcher.places = ARENA_ARRAY(scratch, SlotPlace, (size_t)most + 1);
    matcher.path = strbuf_new(scratch);
    memset(matcher.golden_of, 0xFF, target->slot_count * sizeof *matcher.golden_of);
    for (uint32_t i = 0; i < target->op_count; i++)
        if (out->golden_of[i] != OP_NONE)
            match_op(&matcher, &golden->ops[out->golden_of[i]], &target->ops[i]);
    out->golden_slot_of = matcher.golden_of;
    arena_release(scratch);
}
