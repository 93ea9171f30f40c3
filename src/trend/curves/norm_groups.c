// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/norm_groups.h"

#include "base/names.h"
#include "trend/curves/norm_names.h"

typedef struct Grouping {
    const NormList *target, *golden;
    const NameMap *map;
    Names *mapped;  // the target's names in the map; NULL without one
    Arena *arena;
    NormGroups *groups;
} Grouping;

// A weight of each name by the order of the list: first[id], then next[weight] up to SIZE_MAX.
typedef struct ByName {
    Names *names;
    size_t *first, *next;
} ByName;

static ByName index_names(const Str *names, size_t count, Arena *arena)
{
    ByName index = {names_new(arena), ARENA_ARRAY(arena, size_t, count + 1),
                    ARENA_ARRAY(arena, size_t, count + 1)};
    for (size_t i = 0; i <= count; i++)
        index.first[i] = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        NameId id = names_add(index.names, names[i]);
        if (id == NAME_NONE)
            continue;
        index.next[i] = index.first[id];
        index.first[id] = i;
    }
    return index;
}

static size_t first_of(const ByName *index, Str name)
{
    return index->first[names_find(index->names, name)];
}

// The two weights join what either belongs to already.
static void join_weights(NormGroups *groups, size_t target, size_t golden)
{
    int *left = &groups->target[target], *right = &groups->golden[golden];
    if (*left == NORM_ALONE && *right == NORM_ALONE)
        *left = *right = groups->count++;
    else if (*left == NORM_ALONE)
        *left = *right;
    else if (*right == NORM_ALONE)
        *right = *left;
}

static void group_by_map(const Grouping *work, const Str *target, const Str *golden)
{
    const NameMap *map = work->map;
    ByName left = index_names(target, work->target->count, work->arena);
    ByName right = index_names(golden, work->golden->count, work->arena);
    for (size_t i = 0; i < map->count; i++) {
        size_t one = first_of(&left, map->targets[i]), two = first_of(&right, map->goldens[i]);
        names_add(work->mapped, map->targets[i]);
        if (one != SIZE_MAX && two != SIZE_MAX)
            join_weights(work->groups, one, two);
    }
}

// Places pair only where both lists are equally long.
static bool is_open(const Grouping *work, Str name)
{
    return !str_starts(name, STR("#")) || work->target->count == work->golden->count;
}

// One to one, by names as they are given for both sides.
static void group_by_names(const Grouping *work, const Str *target, const Str *golden)
{
    NormGroups *groups = work->groups;
    ByName index = index_names(golden, work->golden->count, work->arena);
    for (size_t i = 0; i < work->target->count; i++) {
        bool known =
            work->mapped && names_find(work->mapped, work->target->items[i].name) != NAME_NONE;
        if (groups->target[i] != NORM_ALONE || !is_open(work, target[i]) || known)
            continue;
        NameId id = names_find(index.names, target[i]);
        size_t at = index.first[id];
        while (at != SIZE_MAX && groups->golden[at] != NORM_ALONE)
            at = index.next[at];
        if (at != SIZE_MAX)
            join_weights(groups, i, at);
        index.first[id] = at;
    }
}

// All that is left of one fused weight on both sides, where one side has several parts of it.
static void group_fused(const Grouping *work, const Str *target, const Str *golden)
{
    NormGroups *groups = work->groups;
    ByName index = index_names(golden, work->golden->count, work->arena);
    size_t *leader = ARENA_ARRAY(work->arena, size_t, names_count(index.names) + 1);
    for (size_t i = 0; i < work->target->count; i++) {
        NameId id = names_find(index.names, target[i]);
        if (groups->target[i] != NORM_ALONE || !is_open(work, target[i]) || id == NAME_NONE)
            continue;
        for (size_t at = index.first[id]; at != SIZE_MAX; at = index.next[at])
            if (groups->golden[at] == NORM_ALONE) {
                join_weights(groups, i, at);
                leader[id] = at + 1;
            }
        index.first[id] = SIZE_MAX;
        if (leader[id])
            join_weights(groups, i, leader[id] - 1);
    }
}

static int *alone(size_t count, Arena *arena)
{
    int *groups = ARENA_ARRAY(arena, int, count + 1);
    for (size_t i = 0; i < count; i++)
        groups[i] = NORM_ALONE;
    return groups;
}

static Str *own_names(const NormList *list, Arena *arena)
{
    Str *names = ARENA_ARRAY(arena, Str, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->items[i].name;
    return names;
}

static Str *renamed(const Str *names, size_t count, Str (*rename)(Str name, Arena *arena),
                    Arena *arena)
{
    Str *out = ARENA_ARRAY(arena, Str, count + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = rename(names[i], arena);
    return out;
}

void norm_groups_find(const NormList *target, const NormList *golden, const NameMap *map,
                      Arena *arena, NormGroups *out)
{
    *out = (NormGroups){alone(target->count, arena), alone(golden->count, arena), 0};
    Grouping work = {.target = target,
                     .golden = golden,
                     .map = map,
                     .mapped = map ? names_new(arena) : NULL,
                     .arena = arena,
                     .groups = out};
    Str *left = own_names(target, arena), *right = own_names(golden, arena);
    if (map)
        group_by_map(&work, left, right);
    group_by_names(&work, left, right);
    if (map)
        return;
    left = renamed(left, target->count, norm_plain_name, arena);
    right = renamed(right, golden->count, norm_plain_name, arena);
    group_by_names(&work, left, right);
    group_fused(&work, renamed(left, target->count, norm_fused_name, arena),
                renamed(right, golden->count, norm_fused_name, arena));
}
