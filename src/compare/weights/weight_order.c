// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/weight_order.h"

#include <stdlib.h>

#include "base/words.h"

typedef struct Renamed {
    Str golden, target;    // names
    Str stem, other_stem;  // the same with '#' for each number
    size_t index;          // of the target's weight
} Renamed;

// "model.layers.12.mlp.weight" gives "model.layers.#.mlp.weight".
static Str stem_of(Str name, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < name.size; i++)
        if (!is_digit(name.data[i]))
            strbuf_add_char(&text, name.data[i]);
        else if (i + 1 == name.size || !is_digit(name.data[i + 1]))
            strbuf_add_char(&text, '#');
    return strbuf_str(&text);
}

// What stands after the last number and its dot: "mlp.weight"; empty without one.
static Str rest_of(Str name)
{
    size_t from = name.size;
    while (from > 0 && !is_digit(name.data[from - 1]))
        from--;
    return from && from < name.size ? str_slice(name, from + 1, name.size) : (Str){"", 0};
}

static int by_stems(const void *a, const void *b)
{
    const Renamed *one = a, *two = b;
    int order = str_compare(one->stem, two->stem);
    order = order ? order : str_compare(one->other_stem, two->other_stem);
    return order ? order : str_compare_natural(one->golden, two->golden);
}

// Whether the target has, at the place of the partner, a weight that is called as golden's is and
// holds other values.
static bool has_namesake(const Renamed *pair, const Weights *target, Arena *arena)
{
    Str rest = rest_of(pair->golden), other = rest_of(pair->target);
    if (!rest.size || !other.size || str_equal(rest, other))
        return false;
    Str before = str_slice(pair->target, 0, pair->target.size - other.size);
    size_t at = weights_find(target, str_concat(arena, before, rest));
    const Weight *own = &target->items[pair->index], *namesake = &target->items[at];
    return at != SIZE_MAX && namesake->rank == own->rank && namesake->count == own->count &&
           !weights_equal(target, at, pair->index);
}

// Whether the numbers of the target fall where golden's rise, between weights of other values.
static bool falls(const Renamed *before, const Renamed *pair, const Weights *target)
{
    return str_equal(before->stem, pair->stem) && str_equal(before->other_stem, pair->other_stem) &&
           str_compare_natural(before->target, pair->target) > 0 &&
           !weights_equal(target, before->index, pair->index);
}

void weight_order_check(const Weights *golden, const Weights *target, const WeightPairs *pairs,
                        Notices *notices)
{
    Arena *arena = arena_new();
    Renamed *items = ARENA_ARRAY(arena, Renamed, pairs->count + 1);
    size_t count = 0, crossed = 0, first = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const WeightPair *pair = &pairs->items[i];
        if (!(pair->forms & WEIGHT_RENAMED) || (pair->forms & WEIGHT_NEAREST) ||
            pair->golden == WEIGHT_NONE || pair->target == WEIGHT_NONE)
            continue;
        Renamed *item = &items[count++];
        *item = (Renamed){.golden = golden->items[pair->golden].name,
                          .target = target->items[pair->target].name,
                          .index = pair->target};
        item->stem = stem_of(item->golden, arena);
        item->other_stem = stem_of(item->target, arena);
    }
    if (count > 1)
        qsort(items, count, sizeof *items, by_stems);
    for (size_t i = 0; i < count; i++) {
        bool fall = i && falls(&items[i - 1], &items[i], target);
        if ((fall || has_namesake(&items[i], target, arena)) && crossed++ == 0)
            first = fall ? i - 1 : i;
    }
    if (crossed)
        notices_partial(notices, WHERE_FILE(target->path),
                        tr("weights are equal in value and not in place: '" STR_FMT
                           "' of golden is '" STR_FMT "' here. Were layers exchanged?"),
                        STR_ARG(items[first].golden), STR_ARG(items[first].target));
    arena_release(arena);
}
