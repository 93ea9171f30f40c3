// SPDX-License-Identifier: Apache-2.0
// What stays of a witness while other ranks are read: one copy of what ranks have in common.
#include "compare/invariant/witness_take.h"

#include <pthread.h>
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

static TensorSeen *keep_tensors(const Keeping *of, const TensorSeen *items, size_t count)
{
    TensorSeen *out = keep_array(of, items, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        keep_tensor(of, &out[i]);
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

static void keep_parameters(const Keeping *of, RankWitness *out)
{
    out->parameters =
        keep_array(of, out->parameters, out->parameter_count, sizeof *out->parameters);
    out->parameter_capacity = out->parameter_count;
    for (size_t i = 0; i < out->parameter_count; i++) {
        ParameterSeen *it = &out->parameters[i];
        keep_text(of, &it->name);
        keep_text(of, &it->class_name);
        keep_text(of, &it->label);
        keep_text(of, &it->op);
        keep_tensor(of, &it->value);
        keep_tensor(of, &it->gradient);
    }
}

static void keep_states(const Keeping *of, RankWitness *out)
{
    out->states = keep_array(of, out->states, out->state_count, sizeof *out->states);
    out->state_capacity = out->state_count;
    for (size_t i = 0; i < out->state_count; i++) {
        keep_text(of, &out->states[i].name);
        keep_tensor(of, &out->states[i].value);
    }
}

static void keep_comms(const Keeping *of, RankWitness *out)
{
    out->comms = keep_array(of, out->comms, out->comm_count, sizeof *out->comms);
    out->comm_capacity = out->comm_count;
    for (size_t i = 0; i < out->comm_count; i++) {
        CommSeen *it = &out->comms[i];
        keep_text(of, &it->call.name);
        keep_text(of, &it->call.channel);
        keep_text(of, &it->call.ranks);
        keep_text(of, &it->api);
        keep_text(of, &it->used_by);
        keep_tensor(of, &it->used);
        it->gave = keep_tensors(of, it->gave, it->gave_count);
        it->got = keep_tensors(of, it->got, it->got_count);
    }
}

static void keep_data(const Keeping *of, RankWitness *out)
{
    out->data = keep_array(of, out->data, out->data_count, sizeof *out->data);
    out->data_capacity = out->data_count;
    for (size_t i = 0; i < out->data_count; i++) {
        keep_text(of, &out->data[i].op);
        keep_text(of, &out->data[i].stem);
        keep_text(of, &out->data[i].slot);
        keep_tensor(of, &out->data[i].value);
    }
}

static int by_op(const void *a, const void *b)
{
    const BiasSeen *one = *(const BiasSeen *const *)a, *two = *(const BiasSeen *const *)b;
    int order = str_compare(one->op, two->op);
    return order ? order : one < two ? -1 : one > two;
}

static void keep_calls(const Keeping *of, RankWitness *out)
{
    for (size_t i = 0; i < out->module_count; i++)
        keep_text(of, &out->modules[i]);
    out->modules = keep_list(of, out->modules, out->module_count * sizeof *out->modules);
    for (size_t i = 0; i < out->dtype_count; i++) {
        keep_text(of, &out->dtypes[i].op);
        keep_text(of, &out->dtypes[i].dtype);
    }
    out->dtypes = keep_list(of, out->dtypes, out->dtype_count * sizeof *out->dtypes);
    out->norms = keep_tensors(of, out->norms, out->norm_count);
    out->biases = keep_array(of, out->biases, out->bias_count, sizeof *out->biases);
    for (size_t i = 0; i < out->bias_count; i++)
        keep_text(of, &out->biases[i].op);
    out->bias_capacity = out->bias_count;
    out->biases_by_op = ARENA_ARRAY(of->arena, const BiasSeen *, out->bias_count + 1);
    for (size_t i = 0; i < out->bias_count; i++)
        out->biases_by_op[i] = &out->biases[i];
    if (out->bias_count)
        qsort(out->biases_by_op, out->bias_count, sizeof *out->biases_by_op, by_op);
    out->module_capacity = out->module_count;
    out->dtype_capacity = out->dtype_count;
    out->norm_capacity = out->norm_count;
}

static void keep_local(const Keeping *of, RankWitness *out)
{
    for (size_t i = 0; i < LOCAL_COUNT; i++) {
        for (size_t k = 0; k < LOCAL_KEPT; k++) {
            LocalBreak *it = &out->local[i].first[k];
            *it = (LocalBreak){str_copy(of->arena, it->op), str_copy(of->arena, it->text)};
        }
    }
    if (!out->tally)
        return;
    out->tally = keep_array(of, out->tally, out->expects->count, sizeof *out->tally);
    for (size_t i = 0; i < out->expects->count; i++) {
        keep_text(of, &out->tally[i].op);
        keep_text(of, &out->tally[i].text);
    }
}

void witness_keep(WitnessPool *pool, Arena *arena, RankWitness *out)
{
    Keeping of = {pool, arena};
    pthread_mutex_lock(&pool->lock);
    keep_parameters(&of, out);
    keep_states(&of, out);
    keep_comms(&of, out);
    keep_data(&of, out);
    keep_calls(&of, out);
    keep_local(&of, out);
    pthread_mutex_unlock(&pool->lock);
    out->arena = arena;
}
