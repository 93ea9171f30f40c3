// SPDX-License-Identifier: Apache-2.0
#include "read/dump/place_pairs.h"

#include <stdlib.h>

#include "base/array.h"
#include "read/dump/place_name.h"

static int compare_steps(const DumpPlace *x, const DumpPlace *y)
{
    int order = (x->step > y->step) - (x->step < y->step);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

int dump_place_numbers(const DumpPlace *x, const DumpPlace *y)
{
    int order = (x->step > y->step) - (x->step < y->step);
    if (order == 0)
        order = stage_compare(x->stage, y->stage);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

int dump_place_compare(const void *a, const void *b)
{
    const DumpPlace *x = a, *y = b;
    int order = dump_place_numbers(x, y);
    if (order == 0)
        order = (int)y->has_rank - (int)x->has_rank;
    return order ? order : str_compare(str_of(x->file), str_of(y->file));
}

static const DumpPlace *any_side(const PlacePair *pair)
{
    return pair->golden ? pair->golden : pair->target;
}

static int compare_pairs(const void *a, const void *b)
{
    return dump_place_compare(any_side(a), any_side(b));
}

static void add_pair(PlacePairs *out, Arena *arena, const DumpPlace *golden,
                     const DumpPlace *target)
{
    PlacePair pair = {.golden = golden, .target = target};
    const DumpPlace *step = golden && (golden->has_step || !target) ? golden : target;
    const DumpPlace *rank = golden && (golden->has_rank || !target) ? golden : target;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one of both is there
    pair.step = step->step;
    pair.rank = rank->rank;
    pair.stage = golden && golden->stage.size ? golden->stage : target ? target->stage : STR("");
    *ARRAY_PUSH(arena, out) = pair;
}

static bool is_one_graph(const DumpPlaces *places)
{
    return places->count && folder_is_one_stage(places) &&
           (places->items[0].stage.size == 0 ||
            str_starts(places->items[0].stage, STR(STAGE_GRAPH)));
}

// A path that leads below the stages tells none.
static bool may_be_one_stage(Str a, Str b)
{
    return a.size == 0 || b.size == 0 || str_equal(a, b);
}

void folder_pair_dumps(const DumpPlaces *golden, const DumpPlaces *target, Arena *arena,
                       PlacePairs *out)
{
    *out = (PlacePairs){0};
    if (golden->count == 1 && target->count == 1 &&
        may_be_one_stage(golden->items[0].stage, target->items[0].stage)) {
        add_pair(out, arena, &golden->items[0], &target->items[0]);
        return;
    }
    // The only graph of each side, whatever number its process gave it.
    bool graphs = is_one_graph(golden) && is_one_graph(target);
    size_t g = 0, t = 0;
    while (g < golden->count || t < target->count) {
        int order = g == golden->count   ? 1
                    : t == target->count ? -1
                    : graphs             ? compare_steps(&golden->items[g], &target->items[t])
                                         : dump_place_numbers(&golden->items[g], &target->items[t]);
        const DumpPlace *left = order <= 0 ? &golden->items[g++] : NULL;
        const DumpPlace *right = order >= 0 ? &target->items[t++] : NULL;
        add_pair(out, arena, left, right);
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare_pairs);
}

bool folder_is_one_stage(const DumpPlaces *places)
{
    for (size_t i = 1; i < places->count; i++)
        if (!str_equal(places->items[i].stage, places->items[0].stage))
            return false;
    return true;
}

const DumpPlace *folder_find_place(const DumpPlaces *places, const PlacePair *pair, bool only)
{
    const DumpPlace *wanted = pair->golden ? pair->golden : pair->target;
    if (only && places->count == 1 && may_be_one_stage(wanted->stage, places->items[0].stage))
        return &places->items[0];
    for (size_t i = 0; i < places->count; i++) {
        const DumpPlace *place = &places->items[i];
        if (place->step == wanted->step && place->rank == wanted->rank &&
            str_equal(place->stage, wanted->stage))
            return place;
    }
    return NULL;
}
