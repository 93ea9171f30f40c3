// SPDX-License-Identifier: Apache-2.0
#include "compare/match/match_slots.h"

#include <string.h>

#include "compare/match/argument_names.h"
#include "read/dump/op_name.h"

#define SLOT_FREE UINT32_MAX

typedef struct SlotMatcher {
    const Dump *golden, *target;
    const NameId *golden_name;  // by target NameId: the same text among golden's names
    const MatchOptions *options;
    const MappedRows *rows;
    bool cross;           // frameworks differ
    bool *used;           // by golden slot
    bool *settled;        // by target slot: has a partner, or shall have none
    uint32_t *golden_of;  // by target slot
    StrBuf path;
} SlotMatcher;

// The pair of ops at work.
typedef struct OpsAtWork {
    const Op *golden, *target;
    Str golden_stem, target_stem;
} OpsAtWork;

// Keyword and positional inputs of one name are the same place: both are shown as .input.<name>.
static int place_group(const Slot *slot)
{
    return slot->group == GROUP_KWARGS ? GROUP_INPUT : slot->group;
}

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
           place_group(b) == place_group(n);
}

// `hint` is looked at first.
static uint32_t find_same_place(const SlotMatcher *matcher, const Op *golden, uint32_t target,
                                uint32_t hint)
{
    // An item of debug.json that is one tensor has no path on either side.
    NameId path = matcher->target->slots[target].path;
    if (path != NAME_NONE && matcher->golden_name[path] == NAME_NONE)
        return SLOT_FREE;
    if (hint < golden->slot_count && same_place(matcher, golden->first_slot + hint, target))
        return golden->first_slot + hint;
    for (uint32_t i = 0; i < golden->slot_count; i++)
        if (same_place(matcher, golden->first_slot + i, target))
            return golden->first_slot + i;
    return SLOT_FREE;
}

static Str golden_path(const SlotMatcher *matcher, uint32_t slot)
{
    return names_text(matcher->golden->names, matcher->golden->slots[slot].path);
}

static Str target_path(const SlotMatcher *matcher, uint32_t slot)
{
    return names_text(matcher->target->names, matcher->target->slots[slot].path);
}

static uint32_t find_path(const SlotMatcher *matcher, const Op *golden, int group, Str path)
{
    for (uint32_t i = golden->first_slot; i < golden->first_slot + golden->slot_count; i++)
        if (!matcher->used[i] && place_group(&matcher->golden->slots[i]) == group &&
            str_equal(golden_path(matcher, i), path))
            return i;
    return SLOT_FREE;
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
    int group;
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
                place_group(&matcher->target->slots[i]) == api_groups[group].group)
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

// "input.2" of layer_norm and "input.weight" are the same argument.
static bool same_argument(Str api, Str positional, Str named)
{
    Str name = argument_name(api, positional);
    return name.size && str_starts(named, STR("input.")) &&
           str_equal(str_slice(named, 6, named.size), name);
}

static void pair_named_arguments(SlotMatcher *matcher, const OpsAtWork *ops)
{
    const Op *golden = ops->golden;
    Str api = str_behind(ops->golden_stem, '.');
    for (uint32_t i = 0; i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        if (matcher->settled[slot] || place_group(&matcher->target->slots[slot]) != GROUP_INPUT)
            continue;
        Str path = target_path(matcher, slot);
        for (uint32_t k = golden->first_slot; k < golden->first_slot + golden->slot_count; k++) {
            if (matcher->used[k] || place_group(&matcher->golden->slots[k]) != GROUP_INPUT)
                continue;
            Str other = golden_path(matcher, k);
            if (!same_argument(api, path, other) && !same_argument(api, other, path))
                continue;
            pair_slot(matcher, k, slot);
            break;
        }
    }
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

// What is left of a group, in order, as far as the test holds.
static void pair_left(SlotMatcher *matcher, const OpsAtWork *ops, int group, SlotTest *test)
{
    const Op *golden = ops->golden;
    uint32_t next = golden->first_slot, end = golden->first_slot + golden->slot_count;
    for (uint32_t i = 0; i < ops->target->slot_count; i++) {
        uint32_t slot = ops->target->first_slot + i;
        if (matcher->settled[slot] || place_group(&matcher->target->slots[slot]) != group)
            continue;
        for (uint32_t k = next; k < end; k++) {
            if (matcher->used[k] || place_group(&matcher->golden->slots[k]) != group ||
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
                           .used = ARENA_ARRAY(scratch, bool, (size_t)golden->slot_count + 1),
                           .settled = ARENA_ARRAY(scratch, bool, (size_t)target->slot_count + 1),
                           .golden_of =
                               ARENA_ARRAY(arena, uint32_t, (size_t)target->slot_count + 1)};
    matcher.path = strbuf_new(scratch);
    memset(matcher.golden_of, 0xFF, target->slot_count * sizeof *matcher.golden_of);
    for (uint32_t i = 0; i < target->op_count; i++)
        if (out->golden_of[i] != OP_NONE)
            match_op(&matcher, &golden->ops[out->golden_of[i]], &target->ops[i]);
    out->golden_slot_of = matcher.golden_of;
    arena_release(scratch);
}
