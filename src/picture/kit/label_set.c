// SPDX-License-Identifier: Apache-2.0
#include "picture/kit/label_set.h"

#include "base/array.h"
#include "scene/text_width.h"

static bool is_taken(const LabelSet *set, Str name, Str shown)
{
    for (size_t i = 0; i < set->count; i++)
        if (str_equal(set->items[i].shown, shown) && !str_equal(set->items[i].name, name))
            return true;
    return false;
}

Str label_fit(LabelSet *set, Str name, double size, int weight, double width, Arena *arena)
{
    Str shown = text_fit(name, size, weight, width, arena);
    if (!shown.size || str_equal(shown, name))
        return shown;
    if (is_taken(set, name, shown)) {
        Arena *scratch = arena_new();
        Str *names = ARENA_ARRAY(scratch, Str, set->count + 1);
        Str *cuts = ARENA_ARRAY(scratch, Str, set->count + 1);
        for (size_t i = 0; i < set->count; i++)
            names[i] = set->items[i].name;
        names[set->count] = name;
        text_fit_distinct(names, set->count + 1, size, weight, width, scratch, cuts);
        shown = str_copy(arena, cuts[set->count]);
        arena_release(scratch);
    }
    *ARRAY_PUSH(arena, set) = (CutLabel){name, shown};
    return shown;
}
