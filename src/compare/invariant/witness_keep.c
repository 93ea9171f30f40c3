// SPDX-License-Identifier: Apache-2.0
// What stays of a witness while other ranks are read: one copy of what ranks have in common.
#include "compare/invariant/witness_take.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct WitnessPool {
    Names *texts;
    Arena *arena;
    pthread_mutex_t lock;
};

// One witness on its way into the pool.
typedef struct Keeping {
    WitnessPool *pool;
    Arena *arena;
} Keeping;

WitnessPool *witness_pool_new(void)
{
    Arena *arena = arena_new();
    WitnessPool *pool = ARENA_NEW(arena, WitnessPool);
    pool->arena = arena;
    pool->texts = names_new(pool->arena);
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void witness_pool_release(WitnessPool *pool)
{
    if (!pool)
        return;
    pthread_mutex_destroy(&pool->lock);
    arena_release(pool->arena);
}

// ---- texts and arrays

static void keep_text(const Keeping *of, Str *text)
{
    if (text->size)
        *text = names_text(of->pool->texts, names_add(of->pool->texts, *text));
    else
        *text = STR("");
}

// Checksums are of one tensor of one rank, as a rule.
static void keep_tensor(const Keeping *of, TensorSeen *seen)
{
    keep_text(of, &seen->dtype);
    keep_text(of, &seen->shape);
    seen->checksum = seen->checksum.size ? str_copy(of->arena, seen->checksum) : STR("");
}

static void *keep_array(const Keeping *of, const void *items, size_t count, size_t size)
{
    void *out = count ? arena_array(of->arena, count, size) : NULL;
    if (count)
        memcpy(out, items, count * size);
    return out;
}

// ---- parts of a witness

enum { TEXTS = 5, TENSORS = 2 };
#define NONE SIZE_MAX

// An array of a witness: where it is, and what an item has that is to be kept.
typedef struct Kept {
    size_t items, count, capacity, size;
    size_t texts[TEXTS + 1], tensors[TENSORS + 1];  // up to NONE
} Kept;

#define KEPT(items, count, capacity, type)                                                       \
    offsetof(RankWitness, items), offsetof(RankWitness, count), offsetof(RankWitness, capacity), \
        sizeof(type)
#define WEIGHTS                                                                 \
    {offsetof(ParameterSeen, name), offsetof(ParameterSeen, class_name),        \
     offsetof(ParameterSeen, op), offsetof(ParameterSeen, label), NONE},        \
    {                                                                           \
        offsetof(ParameterSeen, value), offsetof(ParameterSeen, gradient), NONE \
    }

static const Kept kept[] = {
    {KEPT(parameters, parameter_count, parameter_capacity, ParameterSeen), WEIGHTS},
    {KEPT(states, state_count, state_capacity, ParameterSeen), WEIGHTS},
    {KEPT(comms, comm_count, comm_capacity, CommSeen),
     {offsetof(CommSeen, call.name), offsetof(CommSeen, call.channel),
      offsetof(CommSeen, call.ranks), offsetof(CommSeen, api), offsetof(CommSeen, used_by), NONE},
     {offsetof(CommSeen, used), NONE}},
    {KEPT(data, data_count, data_capacity, DataSeen),
     {offsetof(DataSeen, op), offsetof(DataSeen, stem), offsetof(DataSeen, slot), NONE},
     {offsetof(DataSeen, value), NONE}},
    {KEPT(dtypes, dtype_count, dtype_capacity, DtypeSeen),
     {offsetof(DtypeSeen, op), offsetof(DtypeSeen, dtype), NONE},
     {NONE}},
    {KEPT(modules, module_count, module_capacity, Str), {0, NONE}, {NONE}},
};

static void keep_items(const Keeping *of, void *items, size_t count, const Kept *how)
{
    for (size_t i = 0; i < count; i++) {
        char *item = (char *)items + i * how->size;
        for (size_t k = 0; how->texts[k] != NONE; k++)
            keep_text(of, (Str *)(void *)(item + how->texts[k]));
        for (size_t k = 0; how->tensors[k] != NONE; k++)
            keep_tensor(of, (TensorSeen *)(void *)(item + how->tensors[k]));
    }
}

static void keep(const Keeping *of, RankWitness *out, const Kept *how)
{
    char *base = (char *)out;
    size_t count;
    void *items, *copy;
    memcpy(&items, base + how->items, sizeof items);
    memcpy(&count, base + how->count, sizeof count);
    memcpy(base + how->capacity, &count, sizeof count);
    keep_items(of, items, count, how);
    copy = keep_array(of, items, count, how->size);
    memcpy(base + how->items, &copy, sizeof copy);
}

void witness_keep(WitnessPool *pool, Arena *arena, RankWitness *out)
{
    static const Kept tensors = {.size = sizeof(TensorSeen), .texts = {NONE}, .tensors = {0, NONE}};
    Keeping of = {pool, arena};
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        keep(&of, out, &kept[i]);
    keep_tensor(&of, &out->begins);
    keep_tensor(&of, &out->gives);
    for (size_t i = 0; i < out->comm_count; i++) {
        CommSeen *it = &out->comms[i];
        keep_items(&of, it->gave, it->gave_count, &tensors);
        keep_items(&of, it->got, it->got_count, &tensors);
        it->gave = keep_array(&of, it->gave, it->gave_count, sizeof *it->gave);
        it->got = keep_array(&of, it->got, it->got_count, sizeof *it->got);
    }
    for (size_t i = 0; i < out->dtype_count; i++) {
        keep_items(&of, out->dtypes[i].norm, out->dtypes[i].norm != NULL, &tensors);
        out->dtypes[i].norm =
            keep_array(&of, out->dtypes[i].norm, out->dtypes[i].norm != NULL, sizeof(TensorSeen));
    }
    for (size_t i = 0; i < LOCAL_COUNT; i++)
        for (LocalBreak *it = out->local[i].first; it < out->local[i].first + LOCAL_KEPT; it++)
            *it = (LocalBreak){str_copy(arena, it->op), str_copy(arena, it->text)};
    if (out->tally)
        out->tally = keep_array(&of, out->tally, out->expects->count, sizeof *out->tally);
    for (size_t i = 0; out->tally && i < out->expects->count; i++) {
        keep_text(&of, &out->tally[i].op);
        keep_text(&of, &out->tally[i].text);
    }
    pthread_mutex_unlock(&pool->lock);
    out->arena = arena;
}
