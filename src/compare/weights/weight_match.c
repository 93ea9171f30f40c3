// SPDX-License-Identifier: Apache-2.0
#include "compare/weights/weight_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/threads.h"
#include "compare/weights/weight_pool.h"

// 1. Weights of one name and shape are a pair: no value is read.
// 2. What is left goes into a pool per side; each is read once for its fingerprint.
// 3. Equal fingerprints and shapes: renamed or transposed, to the bit.
// 4. Fused and split weights (weight_fuse.c).
// 5. One name with the last axes equal, or near values: padded rows.
// 6. Near values of one shape, by 64 places.
// 7. One name and two shapes: a pair that says so. Then the nearest however far. The rest is alone.

// Every pair of one shape is tried up to this many pairs; beyond, only those near in order.
enum { CANDIDATES_MAX = 200000, WINDOW = 8 };

static bool same_shape(const Weight *a, const Weight *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static bool turned_shape(const Weight *a, const Weight *b)
{
    return a->rank == 2 && b->rank == 2 && a->shape[0] == b->shape[1] && a->shape[1] == b->shape[0];
}

static bool same_rows(const Weight *a, const Weight *b)
{
    return a->rank == b->rank && a->rank > 0 &&
           memcmp(a->shape + 1, b->shape + 1, (a->rank - 1) * sizeof *a->shape) == 0;
}

static WeightPair *add_pair(WeightPairs *out, const Weights *golden, const Weights *target,
                            uint32_t g, uint32_t t, Arena *arena)
{
    WeightPair *pair = ARRAY_PUSH(arena, out);
    *pair = (WeightPair){.golden = g, .target = t};
    if (g != WEIGHT_NONE)
        pair->golden_span = weight_span_whole(golden->items[g].rank, golden->items[g].shape);
    if (t != WEIGHT_NONE)
        pair->target_span = weight_span_whole(target->items[t].rank, target->items[t].shape);
    return pair;
}

// Takes two weights out of the pools and pairs them whole.
static void pair_whole(WeightPools *pools, size_t golden, size_t target, uint32_t forms)
{
    PoolWeight *g = &pools->side[0].items[golden], *t = &pools->side[1].items[target];
    WeightPair *pair = add_pair(pools->out, pools->side[0].weights, pools->side[1].weights,
                                g->index, t->index, pools->arena);
    const Weight *a = pool_weight(&pools->side[0], golden),
                 *b = pool_weight(&pools->side[1], target);
    bool renamed = !str_equal(a->name, b->name);
    pair->forms = forms | (renamed ? WEIGHT_RENAMED : 0);
    if (!renamed)
        pair->forms &= ~(uint32_t)WEIGHT_NEAREST;
    if (forms & WEIGHT_TRANSPOSED) {
        pair->target_span.transposed = true;
        pair->target_span.rows = b->shape[1];
    }
    if (forms & WEIGHT_PADDED) {
        uint64_t rows = a->shape[0] < b->shape[0] ? a->shape[0] : b->shape[0];
        pair->golden_span.rows = pair->target_span.rows = rows;
    }
    g->taken = t->taken = true;
}

// ---- By name

// The numbers of a name, each ended by a dot: layers of one number belong together.
static Str numbers_of(Str name, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    for (size_t i = 0; i < name.size; i++) {
        bool digit = name.data[i] >= '0' && name.data[i] <= '9';
        if (digit)
            strbuf_add_char(&text, name.data[i]);
        if (digit && (i + 1 == name.size || name.data[i + 1] < '0' || name.data[i + 1] > '9'))
            strbuf_add_char(&text, '.');
    }
    return strbuf_str(&text);
}

static void put_in_pool(WeightPool *pool, size_t index, Arena *arena)
{
    pool->items[pool->count++] = (PoolWeight){
        .index = (uint32_t)index, .numbers = numbers_of(pool->weights->items[index].name, arena)};
}

// Whose partner is there and could not be read takes no other.
static void put_aside(WeightPools *pools, int side, size_t index, Arena *scratch)
{
    const Weights *own = pools->side[side].weights, *other = pools->side[!side].weights;
    if (!weights_has_unread(other, own->items[index].name)) {
        put_in_pool(&pools->side[side], index, scratch);
        return;
    }
    add_pair(pools->out, pools->side[0].weights, pools->side[1].weights,
             side == 0 ? (uint32_t)index : WEIGHT_NONE, side == 1 ? (uint32_t)index : WEIGHT_NONE,
             pools->arena)
        ->unread = true;
}

static void pair_by_name(const Weights *golden, const Weights *target, WeightPools *pools,
                         Arena *arena, WeightPairs *out, Arena *scratch)
{
    size_t g = 0, t = 0;
    while (g < golden->count || t < target->count) {
        int order = g == golden->count ? 1
                    : t == target->count
                        ? -1
                        : str_compare_natural(golden->items[g].name, target->items[t].name);
        bool pair = order == 0 && same_shape(&golden->items[g], &target->items[t]);
        if (pair)
            add_pair(out, golden, target, (uint32_t)g, (uint32_t)t, arena);
        if (order <= 0 && !pair)
            put_aside(pools, 0, g, scratch);
        if (order >= 0 && !pair)
            put_aside(pools, 1, t, scratch);
        g += order <= 0;
        t += order >= 0;
    }
}

// ---- Reading what is left

typedef struct Reading {
    WeightPool *pool;
    Arena **arenas;
    Notices *notices;
} Reading;

static void read_one(void *context, size_t index)
{
    const Reading *reading = context;
    PoolWeight *item = &reading->pool->items[index];
    Error err;
    reading->arenas[index] = arena_new();
    notices_init(&reading->notices[index], reading->arenas[index]);
    item->readable = weights_tensor(reading->pool->weights, item->index, &item->file,
                                    &reading->notices[index], &err);
    if (!item->readable) {
        notices_add_error(&reading->notices[index], &err);
        return;
    }
    const Tensor *tensor = &item->file.tensor;
    item->fingerprint = weight_fingerprint(tensor);
    item->sample_count = weight_take_samples(tensor, item->samples);
    if (tensor->rank == 2) {
        WeightSpan span = {.transposed = true, .groups = 1, .rows = tensor->shape[1]};
        Tensor turned = weight_view(tensor, &span);
        weight_take_samples(&turned, item->turned);
    }
}

static void read_pool(WeightPool *pool, int jobs, Arena *scratch, Notices *notices)
{
    Reading reading = {.pool = pool,
                       .arenas = ARENA_ARRAY(scratch, Arena *, pool->count),
                       .notices = ARENA_ARRAY(scratch, Notices, pool->count)};
    threads_run(pool->count, jobs, read_one, &reading);
    for (size_t i = 0; i < pool->count; i++) {
        notices_join(notices, &reading.notices[i]);
        arena_release(reading.arenas[i]);
    }
}

static void close_pool(WeightPool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        tensor_close(&pool->items[i].file);
}

// ---- By equal values

// What pairs have in common stands first, what makes them stable last.
typedef struct ValueKey {
    uint64_t fingerprint, count;
    uint64_t sizes[2];  // of the two axes, the smaller first; else of the first axis
    Str numbers, name;
    size_t item;
} ValueKey;

static int compare_uint(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_value_only(const ValueKey *a, const ValueKey *b)
{
    int order = compare_uint(a->count, b->count);
    order = order ? order : compare_uint(a->fingerprint, b->fingerprint);
    order = order ? order : compare_uint(a->sizes[0], b->sizes[0]);
    return order ? order : compare_uint(a->sizes[1], b->sizes[1]);
}

static int by_value(const void *a, const void *b)
{
    const ValueKey *one = a, *two = b;
    int order = by_value_only(one, two);
    order = order ? order : str_compare_natural(one->numbers, two->numbers);
    order = order ? order : str_compare_natural(one->name, two->name);
    return order ? order : compare_uint(one->item, two->item);
}

// Weights of one size, side by side; within it by numbers and name.
static int by_size(const void *a, const void *b)
{
    const ValueKey *one = a, *two = b;
    int order = compare_uint(one->count, two->count);
    order = order ? order : compare_uint(one->sizes[0], two->sizes[0]);
    order = order ? order : compare_uint(one->sizes[1], two->sizes[1]);
    order = order ? order : str_compare_natural(one->numbers, two->numbers);
    return order ? order : str_compare_natural(one->name, two->name);
}

static size_t list_keys(const WeightPool *pool, Arena *scratch, ValueKey **out)
{
    size_t count = 0;
    ValueKey *keys = ARENA_ARRAY(scratch, ValueKey, pool->count);
    for (size_t i = 0; i < pool->count; i++) {
        const Weight *weight = pool_weight(pool, i);
        const PoolWeight *item = &pool->items[i];
        if (item->taken || !item->readable)
            continue;
        uint64_t rows = weight->rank ? weight->shape[0] : 1;
        uint64_t columns = weight->rank == 2 ? weight->shape[1] : 0;
        bool swap = weight->rank == 2 && rows > columns;
        // cppcheck-suppress unknownEvaluationOrder; the members named count are others
        keys[count++] = (ValueKey){.fingerprint = item->fingerprint,
                                   .count = weight->count,
                                   .sizes = {swap ? columns : rows, swap ? rows : columns},
                                   .numbers = item->numbers,
                                   .name = weight->name,
                                   .item = i};
    }
    if (count > 1)
        qsort(keys, count, sizeof *keys, by_value);
    *out = keys;
    return count;
}

static double distance_of(const WeightPools *pools, size_t g, size_t t, bool transposed)
{
    const PoolWeight *a = &pools->side[0].items[g], *b = &pools->side[1].items[t];
    return weight_sample_distance(a->samples, transposed ? b->turned : b->samples, a->sample_count);
}

// Whether, and how, the values may be one weight: forms, or UINT32_MAX.
static uint32_t forms_of(const WeightPools *pools, size_t g, size_t t, double *distance)
{
    const Weight *a = pool_weight(&pools->side[0], g), *b = pool_weight(&pools->side[1], t);
    uint32_t forms = UINT32_MAX;
    *distance = (double)INFINITY;
    if (same_shape(a, b)) {
        *distance = distance_of(pools, g, t, false);
        forms = 0;
    }
    if (turned_shape(a, b)) {
        double turned = distance_of(pools, g, t, true);
        if (turned < *distance) {
            *distance = turned;
            forms = WEIGHT_TRANSPOSED;
        }
    }
    return forms;
}

static void pair_equal_values(WeightPools *pools, Arena *scratch)
{
    ValueKey *golden, *target;
    size_t golden_count = list_keys(&pools->side[0], scratch, &golden);
    size_t target_count = list_keys(&pools->side[1], scratch, &target);
    size_t g = 0, t = 0;
    while (g < golden_count && t < target_count) {
        int order = by_value_only(&golden[g], &target[t]);
        double distance;
        if (order == 0) {
            uint32_t forms = forms_of(pools, golden[g].item, target[t].item, &distance);
            if (forms != UINT32_MAX && distance == 0)
                pair_whole(pools, golden[g].item, target[t].item, forms);
        }
        g += order <= 0;
        t += order >= 0;
    }
}

// ---- Padded

static double padded_distance(const WeightPools *pools, size_t g, size_t t)
{
    const PoolWeight *a = &pools->side[0].items[g], *b = &pools->side[1].items[t];
    const Tensor *one = &a->file.tensor, *two = &b->file.tensor;
    uint64_t rows = one->shape[0] < two->shape[0] ? one->shape[0] : two->shape[0];
    WeightSpan span = {.groups = 1, .rows = rows};
    Tensor golden = weight_view(one, &span), target = weight_view(two, &span);
    return golden.count ? weight_distance(&golden, &target, WEIGHT_SAMPLES) : (double)INFINITY;
}

// By what all rows have in common: rank and size of a row.
static size_t list_rows(const WeightPool *pool, Arena *scratch, ValueKey **out)
{
    size_t kept = 0, count = list_keys(pool, scratch, out);
    for (size_t i = 0; i < count; i++) {
        ValueKey key = (*out)[i];
        const Weight *weight = pool_weight(pool, key.item);
        if (weight->rank < 2 || weight->count == 0)
            continue;
        key.count = weight->count / weight->shape[0];
        key.sizes[0] = weight->rank;
        key.sizes[1] = 0;
        (*out)[kept++] = key;
    }
    if (kept > 1)
        qsort(*out, kept, sizeof **out, by_size);
    return kept;
}

static size_t nearest_padded(const WeightPools *pools, size_t g, const ValueKey *target,
                             size_t count)
{
    const Weight *a = pool_weight(&pools->side[0], g);
    size_t best = SIZE_MAX;
    double least = WEIGHT_NEAR;
    for (size_t i = 0; i < count; i++) {
        size_t t = target[i].item;
        const Weight *b = pool_weight(&pools->side[1], t);
        if (pools->side[1].items[t].taken || same_shape(a, b) || !same_rows(a, b))
            continue;
        double distance = padded_distance(pools, g, t);
        if (distance < least || (distance == least && str_equal(a->name, b->name))) {
            best = t;
            least = distance;
        }
    }
    return best;
}

static void pair_padded(WeightPools *pools, Arena *scratch)
{
    ValueKey *golden, *target;
    size_t golden_count = list_rows(&pools->side[0], scratch, &golden);
    size_t target_count = list_rows(&pools->side[1], scratch, &target);
    for (size_t g = 0, t = 0, tries = 0; g < golden_count && tries < CANDIDATES_MAX; g++) {
        while (t < target_count && target[t].count < golden[g].count)
            t++;
        size_t end = t;
        while (end < target_count && target[end].count == golden[g].count)
            end++;
        tries += end - t;
        size_t best = nearest_padded(pools, golden[g].item, target + t, end - t);
        if (best != SIZE_MAX)
            pair_whole(pools, golden[g].item, best, WEIGHT_PADDED);
    }
}

// ---- Nearest

typedef struct Candidate {
    double distance;
    uint32_t golden, target, forms;
    bool other_numbers;
} Candidate;

typedef struct Candidates {
    Candidate *items;
    size_t count, capacity;
} Candidates;

static int by_distance(const void *a, const void *b)
{
    const Candidate *one = a, *two = b;
    if (one->distance != two->distance)
        return one->distance < two->distance ? -1 : 1;
    int order = one->other_numbers - two->other_numbers;
    order = order ? order : compare_uint(one->golden, two->golden);
    return order ? order : compare_uint(one->target, two->target);
}

static void add_candidate(const WeightPools *pools, size_t g, size_t t, Arena *scratch,
                          Candidates *out)
{
    double distance;
    uint32_t forms = forms_of(pools, g, t, &distance);
    bool other = !str_equal(pools->side[0].items[g].numbers, pools->side[1].items[t].numbers);
    if (forms != UINT32_MAX)
        *ARRAY_PUSH(scratch, out) = (Candidate){distance, (uint32_t)g, (uint32_t)t, forms, other};
}

static size_t end_of_size(const ValueKey *keys, size_t count, size_t from)
{
    size_t end = from + 1;
    while (end < count && keys[end].count == keys[from].count)
        end++;
    return end;
}

// All against all, or in large groups each against those at its own place in the order.
static void list_group(const WeightPools *pools, const ValueKey *golden, size_t golden_count,
                       const ValueKey *target, size_t target_count, Arena *scratch, Candidates *out)
{
    bool all = golden_count <= CANDIDATES_MAX / target_count;
    for (size_t i = 0; i < golden_count; i++) {
        size_t centre = (size_t)((double)i / (double)golden_count * (double)target_count);
        size_t from = all || centre < WINDOW ? 0 : centre - WINDOW;
        size_t end = all || centre + WINDOW > target_count ? target_count : centre + WINDOW;
        for (size_t k = from; k < end; k++)
            add_candidate(pools, golden[i].item, target[k].item, scratch, out);
    }
}

static void pair_nearest(WeightPools *pools, double limit, Arena *scratch)
{
    ValueKey *golden, *target;
    Candidates found = {0};
    size_t golden_count = list_keys(&pools->side[0], scratch, &golden);
    size_t target_count = list_keys(&pools->side[1], scratch, &target);
    if (golden_count == 0 || target_count == 0)
        return;
    qsort(golden, golden_count, sizeof *golden, by_size);
    qsort(target, target_count, sizeof *target, by_size);
    for (size_t g = 0, t = 0; g < golden_count && t < target_count;) {
        size_t g_end = end_of_size(golden, golden_count, g);
        size_t t_end = end_of_size(target, target_count, t);
        if (golden[g].count == target[t].count)
            list_group(pools, golden + g, g_end - g, target + t, t_end - t, scratch, &found);
        bool golden_first = golden[g].count <= target[t].count;
        bool target_first = target[t].count <= golden[g].count;
        g = golden_first ? g_end : g;
        t = target_first ? t_end : t;
    }
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, by_distance);
    for (size_t i = 0; i < found.count; i++) {
        const Candidate *at = &found.items[i];
        if (at->distance <= limit && !pools->side[0].items[at->golden].taken &&
            !pools->side[1].items[at->target].taken)
            pair_whole(pools, at->golden, at->target, at->forms | WEIGHT_NEAREST);
    }
}

// ---- The rest

static void pair_reshaped(WeightPools *pools)
{
    WeightPool *golden = &pools->side[0], *target = &pools->side[1];
    size_t g = 0, t = 0;
    while (g < golden->count && t < target->count) {
        int order = str_compare_natural(pool_weight(golden, g)->name, pool_weight(target, t)->name);
        if (order == 0 && !golden->items[g].taken && !target->items[t].taken)
            pair_whole(pools, g, t, WEIGHT_RESHAPED);
        g += order <= 0;
        t += order >= 0;
    }
}

static void add_alone(WeightPools *pools)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < pools->side[side].count; i++) {
            const PoolWeight *item = &pools->side[side].items[i];
            if (item->taken)
                continue;
            add_pair(pools->out, pools->side[0].weights, pools->side[1].weights,
                     side == 0 ? item->index : WEIGHT_NONE, side == 1 ? item->index : WEIGHT_NONE,
                     pools->arena)
                ->unread = pools->side[!side].weights->incomplete;
        }
}

static int by_place(const void *a, const void *b)
{
    const WeightPair *one = a, *two = b;
    int order = compare_uint(one->golden, two->golden);
    order = order ? order : compare_uint(one->golden_span.first, two->golden_span.first);
    return order ? order : compare_uint(one->target, two->target);
}

void weight_match(const Weights *golden, const Weights *target, int jobs, Arena *arena,
                  WeightPairs *out, Notices *notices)
{
    Arena *scratch = arena_new();
    *out = (WeightPairs){0};
    WeightPools pools = {
        .side = {{.weights = golden}, {.weights = target}}, .arena = arena, .out = out};
    pools.side[0].items = ARENA_ARRAY(scratch, PoolWeight, golden->count);
    pools.side[1].items = ARENA_ARRAY(scratch, PoolWeight, target->count);
    pair_by_name(golden, target, &pools, arena, out, scratch);
    if (pools.side[0].count && pools.side[1].count) {
        read_pool(&pools.side[0], jobs, scratch, notices);
        read_pool(&pools.side[1], jobs, scratch, notices);
        pair_equal_values(&pools, scratch);
        weight_fuse(&pools);
        pair_padded(&pools, scratch);
        pair_nearest(&pools, WEIGHT_NEAR, scratch);
        pair_reshaped(&pools);
        pair_nearest(&pools, (double)INFINITY, scratch);
    }
    close_pool(&pools.side[0]);
    close_pool(&pools.side[1]);
    add_alone(&pools);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_place);
    arena_release(scratch);
}
