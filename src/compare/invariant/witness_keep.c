// SPDX-License-Identifier: Apache-2.0
// What stays of a witness while other ranks are read: one copy of what ranks have in common.
#include "compare/invariant/witness_take.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct WitnessPool {
    Names *texts;
    Names *lists;  // arrays of structs by their bytes: they hold texts of the pool, and no gaps
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
    pool->lists = names_new(pool->arena);
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

// An array that other ranks may have as well; its texts are of the pool already.
static void *keep_list(const Keeping *of, const void *items, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    if (bytes > UINT32_MAX)  // as long as no name can be
        return keep_array(of, items, bytes, 1);
    NameId id = names_add(of->pool->lists, (Str){items, bytes});
    return (void *)names_text(of->pool->lists, id).data;
}

// ---- parts of a witness

enum { TEXTS = 5, TENSORS = 2 };
#define NONE SIZE_MAX

// An array of a witness: where it is, and what an item has that is to be kept.
typedef struct Kept {
    size_t items, count, capacity, size;
    size_t texts[TEXTS + 1], tensors[TENSORS + 1];  // up to NONE
    bool alike;                                     // other ranks may have the same
} Kept;

#define KEPT(name, type)                                                 \
    offsetof(RankWitness, name##s), offsetof(RankWitness, name##_count), \
        offsetof(RankWitness, name##_capacity), sizeof(type)

static const Kept kept[] = {
    {KEPT(parameter, ParameterSeen),
     {offsetof(ParameterSeen, name), offsetof(ParameterSeen, class_name),
      offsetof(ParameterSeen, op), offsetof(ParameterSeen, label), NONE},
     {offsetof(ParameterSeen, value), offsetof(ParameterSeen, gradient), NONE},
     false},
    {KEPT(state, StateSeen),
     {offsetof(StateSeen, name), NONE},
     {offsetof(StateSeen, value), NONE},
     false},
    {KEPT(comm, CommSeen),
     {offsetof(CommSeen, call.name), offsetof(CommSeen, call.channel),
      offsetof(CommSeen, call.ranks), offsetof(CommSeen, api), offsetof(CommSeen, used_by), NONE},
     {offsetof(CommSeen, used), NONE},
     false},
    {offsetof(RankWitness, data),
     offsetof(RankWitness, data_count),
     offsetof(RankWitness, data_capacity),
     sizeof(DataSeen),
     {offsetof(DataSeen, op), offsetof(DataSeen, stem), offsetof(DataSeen, slot), NONE},
     {offsetof(DataSeen, value), NONE},
     false},
    {KEPT(dtype, DtypeSeen),
     {offsetof(DtypeSeen, op), offsetof(DtypeSeen, dtype), NONE},
     {NONE},
     true},
    {KEPT(module, Str), {0, NONE}, {NONE}, true},
    {KEPT(norm, TensorSeen), {NONE}, {0, NONE}, false},
    {offsetof(RankWitness, biases),
     offsetof(RankWitness, bias_count),
     offsetof(RankWitness, bias_capacity),
     sizeof(BiasSeen),
     {offsetof(BiasSeen, op), NONE},
     {NONE},
     false},
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

// Texts first: arrays that ranks have in common hold those of the pool.
static void keep(const Keeping *of, RankWitness *out, const Kept *how)
{
    char *base = (char *)out;
    size_t count;
    void *items, *copy;
    memcpy(&items, base + how->items, sizeof items);
    memcpy(&count, base + how->count, sizeof count);
    memcpy(base + how->capacity, &count, sizeof count);
    keep_items(of, items, count, how);
    copy = how->alike ? keep_list(of, items, count * how->size)
                      : keep_array(of, items, count, how->size);
    memcpy(base + how->items, &copy, sizeof copy);
}

static int by_op(const void *a, const void *b)
{
    return str_compare(((const BiasSeen *)a)->op, ((const BiasSeen *)b)->op);
}

void witness_keep(WitnessPool *pool, Arena *arena, RankWitness *out)
{
    static const Kept tensors = {.size = sizeof(TensorSeen), .texts = {NONE}, .tensors = {0, NONE}};
    Keeping of = {pool, arena};
    if (out->bias_count)
        qsort(out->biases, out->bias_count, sizeof *out->biases, by_op);
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
