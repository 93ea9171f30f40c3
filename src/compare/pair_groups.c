// SPDX-License-Identifier: Apache-2.0
#include "compare/pair_groups.h"

#include <math.h>

#include "base/array.h"

static bool is_cut(const PairFacts *pair)
{
    return pair->reads[0].partial_at >= 0 || pair->reads[1].partial_at >= 0;
}

static Str key_of(const PairFacts *pair, Arena *arena)
{
    const FirstDivergence *first = &pair->first;
    return str_printf(arena, "%lld\n" STR_FMT "\n%d %d %d %d %d %d %u\n" STR_FMT,
                      (long long)pair->step, STR_ARG(pair->stage), pair->status,
                      pair->golden_missing, pair->target_missing, pair->failed, is_cut(pair),
                      first->kind, first->position, STR_ARG(pair_facts_op(first)));
}

void pair_groups(const PairFacts *pairs, size_t count, size_t origin, Arena *arena, PairGroups *out)
{
    Arena *scratch = arena_new();
    Names *keys = names_new(scratch);
    *out = (PairGroups){.of = ARENA_ARRAY(arena, uint32_t, count)};
    for (size_t i = 0; i < count; i++) {
        NameId id = names_add(keys, key_of(&pairs[i], scratch));
        if (id > out->count)
            *ARRAY_PUSH(arena, out) =
                (PairGroup){.first = i, .least = (double)NAN, .most = (double)NAN};
        PairGroup *group = &out->items[id - 1];
        if (i == origin)
            group->first = i;
        *ARRAY_PUSH(arena, &group->ranks) = pairs[i].rank;
        group->least = fmin(group->least, pairs[i].first.value);  // the number, where one is none
        group->most = fmax(group->most, pairs[i].first.value);
        out->of[i] = id - 1;
    }
    arena_release(scratch);
}

static bool is_worth_it(const PairFacts *pair)
{
    return pair->first.kind != DIVERGE_NONE || pair->status > STATUS_PASS ||
           pair->status == STATUS_NO_DATA || is_cut(pair);
}

bool pair_group_shown(const PairGroups *groups, size_t group, const PairFacts *pairs, size_t origin)
{
    size_t before = 0, own = origin == SIZE_MAX ? SIZE_MAX : groups->of[origin];
    if (group == own)
        return true;
    for (size_t i = 0; i < group; i++)
        before += i != own && is_worth_it(&pairs[groups->items[i].first]);
    return is_worth_it(&pairs[groups->items[group].first]) &&
           before + (own != SIZE_MAX) < PAIR_GROUPS_SHOWN;
}
