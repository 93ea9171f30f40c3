// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "compare/weights/weight_pool.h"

// A fused weight holds two or three weights of one module along its first axis: q, k and v, or gate
// and up. Which ones, in which order and in how many groups is found by values: the parts are tried
// in every order against the places where they would lie.

enum { PARTS_MAX = 3, MEMBERS_MAX = 12, GROUPS_MAX = 1024, TRIES_MAX = 2000000, FAMILIES_MAX = 64 };

static const uint64_t tried_places = 16;

// Weights without a partner that lie in one module.
typedef struct Family {
    Str parent, numbers;
    size_t *items;
    size_t count, capacity;
} Family;

typedef struct Families {
    Family *items;
    size_t count, capacity;
} Families;

// How one whole weight may be put together.
typedef struct Recipe {
    bool transposed;
    uint64_t groups;
    size_t parts[PARTS_MAX];
    size_t count;
    double distance;
} Recipe;

typedef struct Search {
    const WeightPools *pools;
    const WeightPool *wholes, *parts;
    size_t whole;
    const Family *family;
    Recipe best;
    size_t *tries;
} Search;

// The name without its last two parts: "layers.0.attn" of "layers.0.attn.q_proj.weight".
static Str parent_of(Str name)
{
    for (int i = 0; i < 2; i++) {
        size_t dot = str_rfind_char(name, '.');
        name = str_slice(name, 0, dot == SIZE_MAX ? 0 : dot);
    }
    return name;
}

// The usual order of the parts; others keep that of their names.
static int part_order(Str name)
{
    static const struct {
        const char *word;
        int order;
    } words[] = {{"gate", 1}, {"up", 2}, {"query", 1}, {"key", 2}, {"value", 3},
                 {"wq", 1},   {"wk", 2}, {"wv", 3},    {"q_", 1},  {"k_", 2},
                 {"v_", 3},   {"w1", 1}, {"w3", 2}};
    Str rest = str_slice(name, parent_of(name).size, name.size);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_find(rest, str_of(words[i].word), 0) != SIZE_MAX)
            return words[i].order;
    return 4;
}

typedef struct Member {
    Str parent, numbers, name;
    int order;
    size_t item;
} Member;

static int by_family(const void *a, const void *b)
{
    const Member *one = a, *two = b;
    int order = str_compare_natural(one->numbers, two->numbers);
    order = order ? order : str_compare(one->parent, two->parent);
    order = order ? order : one->order - two->order;
    order = order ? order : str_compare_natural(one->name, two->name);
    return order ? order : (one->item > two->item) - (one->item < two->item);
}

static Str numbers_of_parent(const WeightPool *pool, size_t item, Str parent)
{
    // The numbers of a name begin with those of its parent.
    size_t count = 0, end = 0;
    for (size_t i = 0; i < parent.size; i++) {
        bool digit = parent.data[i] >= '0' && parent.data[i] <= '9';
        bool last = i + 1 == parent.size || parent.data[i + 1] < '0' || parent.data[i + 1] > '9';
        count += digit && last;
    }
    Str numbers = pool->items[item].numbers;
    while (count > 0 && end < numbers.size)
        count -= numbers.data[end++] == '.';
    return str_slice(numbers, 0, end);
}

static void list_families(const WeightPool *pool, Arena *scratch, Families *out)
{
    Member *members = ARENA_ARRAY(scratch, Member, pool->count);
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        Str name = pool_weight(pool, i)->name, parent = parent_of(name);
        if (!pool->items[i].taken && pool->items[i].readable)
            members[count++] =
                (Member){parent, numbers_of_parent(pool, i, parent), name, part_order(name), i};
    }
    if (count > 1)
        qsort(members, count, sizeof *members, by_family);
    for (size_t i = 0; i < count; i++) {
        Family *last = out->count ? &out->items[out->count - 1] : NULL;
        if (!last || !str_equal(last->parent, members[i].parent)) {
            last = ARRAY_PUSH(scratch, out);
            *last = (Family){.parent = members[i].parent, .numbers = members[i].numbers};
        }
        *ARRAY_PUSH(scratch, last) = members[i].item;
    }
}

static uint64_t rows_of(const Weight *weight)
{
    return weight->rank ? weight->shape[0] : 0;
}

static uint64_t divisor_of_all(const WeightPool *pool, const size_t *parts, size_t count)
{
    uint64_t divisor = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t rows = rows_of(pool_weight(pool, parts[i]));
        while (rows) {
            uint64_t rest = divisor % rows;
            divisor = rows;
            rows = rest;
        }
    }
    return divisor;
}

// The whole's share that part `part` of the recipe would fill, and the part itself.
static void spans_of(const WeightPool *pool, const Recipe *recipe, size_t part, WeightSpan *whole,
                     WeightSpan *own)
{
    uint64_t first = 0, rows = rows_of(pool_weight(pool, recipe->parts[part]));
    for (size_t i = 0; i < part; i++)
        first += rows_of(pool_weight(pool, recipe->parts[i]));
    *whole = (WeightSpan){.transposed = recipe->transposed,
                          .groups = recipe->groups,
                          .first = first / recipe->groups,
                          .rows = rows / recipe->groups};
    *own = (WeightSpan){.groups = recipe->groups, .rows = rows / recipe->groups};
}

// The largest distance of a part from its place; it stops at the first that is too far.
static double distance_of(const Search *search, const Recipe *recipe)
{
    double largest = 0;
    for (size_t i = 0; i < recipe->count && largest < search->best.distance; i++) {
        WeightSpan whole, own;
        spans_of(search->parts, recipe, i, &whole, &own);
        Tensor there = weight_view(&search->wholes->items[search->whole].file.tensor, &whole);
        Tensor here = weight_view(&search->parts->items[recipe->parts[i]].file.tensor, &own);
        largest = fmax(largest, weight_distance(&here, &there, tried_places));
    }
    return largest;
}

static void try_groups(Search *search, Recipe *recipe)
{
    uint64_t divisor = divisor_of_all(search->parts, recipe->parts, recipe->count);
    for (uint64_t groups = 1; groups <= divisor && groups <= GROUPS_MAX; groups++) {
        if (divisor % groups || *search->tries >= TRIES_MAX)
            continue;
        ++*search->tries;
        recipe->groups = groups;
        recipe->distance = distance_of(search, recipe);
        if (recipe->distance < search->best.distance)
            search->best = *recipe;
    }
}

static bool has_rows_like(const Weight *part, const Weight *whole, bool transposed)
{
    if (part->rank != whole->rank || part->rank == 0 || part->count == 0)
        return false;
    if (transposed)
        return part->shape[1] == whole->shape[0];
    return memcmp(part->shape + 1, whole->shape + 1, (part->rank - 1) * sizeof *part->shape) == 0;
}

// Every ordered choice of two or three members whose rows add up to those of the whole. Orders are
// counted through, as there are at most 12 * 12 * 12.
static void try_members(Search *search, bool transposed)
{
    const Weight *whole = pool_weight(search->wholes, search->whole);
    const Family *family = search->family;
    uint64_t rows = transposed ? whole->shape[1] : whole->shape[0];
    size_t fitting[MEMBERS_MAX], n = 0;
    for (size_t i = 0; i < family->count && n < MEMBERS_MAX; i++)
        if (!search->parts->items[family->items[i]].taken &&
            has_rows_like(pool_weight(search->parts, family->items[i]), whole, transposed))
            fitting[n++] = family->items[i];
    for (size_t code = 0; code < n * n * (n + 1); code++) {
        size_t a = code / (n + 1) / n, b = code / (n + 1) % n, c = code % (n + 1);  // c = n: none
        if (a == b || a == c || b == c)
            continue;
        Recipe recipe = {.transposed = transposed, .count = c == n ? 2 : 3};
        recipe.parts[0] = fitting[a];
        recipe.parts[1] = fitting[b];
        recipe.parts[2] = c == n ? 0 : fitting[c];
        uint64_t sum = 0;
        for (size_t i = 0; i < recipe.count; i++)
            sum += rows_of(pool_weight(search->parts, recipe.parts[i]));
        if (sum == rows)
            try_groups(search, &recipe);
    }
}

// The pair of one part of the recipe.
static void set_pair(const WeightPools *pools, int whole_side, size_t whole, const Recipe *recipe,
                     size_t at, WeightPair *out)
{
    const WeightPool *parts = &pools->side[1 - whole_side];
    uint32_t own = pools->side[whole_side].items[whole].index;
    uint32_t part = parts->items[recipe->parts[at]].index;
    WeightSpan there, here;
    spans_of(parts, recipe, at, &there, &here);
    bool fused = whole_side == 1;
    *out = (WeightPair){.golden = fused ? part : own,
                        .target = fused ? own : part,
                        .forms = (fused ? WEIGHT_FUSED : WEIGHT_SPLIT) |
                                 (recipe->transposed ? WEIGHT_TRANSPOSED : 0u),
                        .golden_span = fused ? here : there,
                        .target_span = fused ? there : here};
}

static void take_parts(WeightPools *pools, int whole_side, const Search *search)
{
    const Recipe *recipe = &search->best;
    for (size_t i = 0; i < recipe->count; i++) {
        set_pair(pools, whole_side, search->whole, recipe, i, ARRAY_PUSH(pools->arena, pools->out));
        pools->side[1 - whole_side].items[recipe->parts[i]].taken = true;
    }
    pools->side[whole_side].items[search->whole].taken = true;
}

// ---- one layer whose parts lie in another order than those of the others

// A whole weight and how it was put together.
typedef struct Made {
    size_t whole, pair;  // `pair`: the first of its pairs
    Recipe recipe;
    NameId stem, layout;  // the name without numbers; that with the order and groups of the parts
} Made;

typedef struct MadeList {
    Made *items;
    size_t count, capacity;
} MadeList;

static Str stem_of(Str name, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    for (size_t i = 0; i < name.size; i++)
        if (!is_digit(name.data[i]))
            strbuf_add_char(&out, name.data[i]);
    return strbuf_str(&out);
}

// ".q_proj.weight"
static Str kind_of(const WeightPool *parts, size_t item)
{
    Str name = pool_weight(parts, item)->name;
    return str_slice(name, parent_of(name).size, name.size);
}

// The recipe with the parts of `made` in the order and groups of `model`; false where it has other
// parts.
static bool reordered(const WeightPool *parts, const Recipe *made, const Recipe *model, Recipe *out)
{
    *out = *made;
    out->groups = model->groups;
    out->transposed = model->transposed;
    bool good = made->count == model->count;
    for (size_t i = 0; i < made->count && good; i++) {
        size_t k = 0;
        while (k < made->count &&
               !str_equal(kind_of(parts, made->parts[k]), kind_of(parts, model->parts[i])))
            k++;
        good = k < made->count && rows_of(pool_weight(parts, made->parts[k])) % model->groups == 0;
        if (good)
            out->parts[i] = made->parts[k];
    }
    return good;
}

static Str layout_of(const WeightPool *parts, const Recipe *recipe, Str stem, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    strbuf_printf(&out, STR_FMT "|%llu|%d", STR_ARG(stem), (unsigned long long)recipe->groups,
                  recipe->transposed);
    for (size_t i = 0; i < recipe->count; i++)
        strbuf_printf(&out, "|" STR_FMT, STR_ARG(kind_of(parts, recipe->parts[i])));
    return strbuf_str(&out);
}

// A layout that most layers have is that of the format: a layer with another one holds its parts in
// the wrong places, and is compared as the others are.
static void hold_to_most(WeightPools *pools, int whole_side, const MadeList *made)
{
    Arena *scratch = arena_new();
    const WeightPool *parts = &pools->side[1 - whole_side];
    Names *names = names_new(scratch);
    size_t *votes = ARENA_ARRAY(scratch, size_t, 2 * made->count + 1);
    const Made **most = ARENA_ARRAY(scratch, const Made *, 2 * made->count + 1);
    for (size_t i = 0; i < made->count; i++) {
        Made *one = &made->items[i];
        Str stem = stem_of(pool_weight(&pools->side[whole_side], one->whole)->name, scratch);
        one->stem = names_add(names, stem);
        one->layout = names_add(names, layout_of(parts, &one->recipe, stem, scratch));
        votes[one->layout]++;
    }
    for (size_t i = 0; i < made->count; i++) {
        const Made **best = &most[made->items[i].stem];
        if (!*best || votes[made->items[i].layout] > votes[(*best)->layout])
            *best = &made->items[i];
    }
    for (size_t i = 0; i < made->count; i++) {
        const Made *one = &made->items[i], *model = most[one->stem];
        Recipe recipe;
        if (votes[model->layout] == votes[one->layout] ||
            !reordered(parts, &one->recipe, &model->recipe, &recipe))
            continue;
        for (size_t k = 0; k < recipe.count; k++)
            set_pair(pools, whole_side, one->whole, &recipe, k, &pools->out->items[one->pair + k]);
    }
    arena_release(scratch);
}

static void search_family(Search *search, const Family *family)
{
    const Weight *whole = pool_weight(search->wholes, search->whole);
    search->family = family;
    try_members(search, false);
    if (whole->rank == 2)
        try_members(search, true);
}

// Families of the same layer first; all others only if there are few.
static void find_parts(Search *search, const Families *families, Str numbers)
{
    for (size_t i = 0; i < families->count; i++)
        if (str_equal(families->items[i].numbers, numbers))
            search_family(search, &families->items[i]);
    if (search->best.count || families->count > FAMILIES_MAX)
        return;
    for (size_t i = 0; i < families->count; i++)
        search_family(search, &families->items[i]);
}

static void fuse_side(WeightPools *pools, int whole_side, size_t *tries)
{
    Arena *scratch = arena_new();
    Families families = {0};
    MadeList made = {0};
    list_families(&pools->side[1 - whole_side], scratch, &families);
    WeightPool *wholes = &pools->side[whole_side];
    for (size_t i = 0; i < wholes->count && *tries < TRIES_MAX; i++) {
        const Weight *weight = pool_weight(wholes, i);
        if (wholes->items[i].taken || !wholes->items[i].readable || weight->rank == 0 ||
            weight->count == 0)
            continue;
        Search search = {.pools = pools,
                         .wholes = wholes,
                         .parts = &pools->side[1 - whole_side],
                         .whole = i,
                         .best = {.distance = WEIGHT_NEAR},
                         .tries = tries};
        Str numbers = numbers_of_parent(wholes, i, parent_of(weight->name));
        find_parts(&search, &families, numbers);
        if (!search.best.count)
            continue;
        *ARRAY_PUSH(scratch, &made) =
            (Made){.whole = i, .pair = pools->out->count, .recipe = search.best};
        take_parts(pools, whole_side, &search);
    }
    hold_to_most(pools, whole_side, &made);
    arena_release(scratch);
}

void weight_fuse(WeightPools *pools)
{
    size_t tries = 0;
    fuse_side(pools, 1, &tries);
    fuse_side(pools, 0, &tries);
}
