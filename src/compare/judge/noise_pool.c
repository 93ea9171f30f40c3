// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/noise_pool.h"

#include <math.h>
#include <stdlib.h>

#include "read/dump/op_name.h"

// Keyword arguments are inputs; gradients of weights are outputs of the backward pass.
static uint32_t role_of(const Slot *slot)
{
    if (slot->group == GROUP_KWARGS)
        return GROUP_INPUT;
    return slot->group == GROUP_GRADS ? GROUP_OUTPUT : slot->group;
}

uint32_t noise_pool_of(const Op *op, const Slot *slot, Precision precision, Stat stat)
{
    uint32_t direction = op->kind == OP_GRADS ? DIR_BACKWARD : op->direction;
    uint32_t role = direction * GROUP_COUNT + role_of(slot);
    return (role * PRECISION_COUNT + (uint32_t)precision) * STAT_COUNT + (uint32_t)stat;
}

uint32_t *noise_apis(const Dump *dump, Arena *arena)
{
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, dump->op_count + 1);
    Arena *scratch = arena_new();
    Names *kinds = names_new(scratch);
    for (uint32_t i = 0; i < dump->op_count; i++) {
        OpName name = op_name_of(dump->names, dump->ops[i].name);
        out[i] = names_add(kinds, name.type_name.size ? name.type_name : name.stem);
    }
    arena_release(scratch);
    return out;
}

typedef struct Pooled {
    uint64_t pool;
    float variance;
    size_t sample;
} Pooled;

static int compare_pooled(const void *a, const void *b)
{
    const Pooled *x = a, *y = b;
    if (x->pool != y->pool)
        return x->pool < y->pool ? -1 : 1;
    if (x->variance != y->variance)
        return x->variance < y->variance ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

// Not the largest: a few gradients that are zero by mathematics and nothing but rounding must not
// set the floor of all others.
static float typical(const Pooled *items, size_t count)
{
    return items[count * 95 / 100].variance;
}

// Raises the prior of each sample to the typical variance of its pool.
static void raise_priors(Pooled *items, size_t count, float *prior)
{
    qsort(items, count, sizeof *items, compare_pooled);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && items[end].pool == items[start].pool;)
            end++;
        float variance = typical(items + start, end - start);
        for (size_t i = start; i < end; i++)
            prior[items[i].sample] = fmaxf(prior[items[i].sample], variance);
    }
}

// The fewer runs, the heavier the tails of a spread of k + NOISE_PRIOR degrees of freedom. Source:
// quantiles of Student's t at 1e-4 (both sides): 9.7, 8.0 and 7.1 for 5, 6 and 7 degrees.
static double widened(uint32_t runs)
{
    static const double by_runs[] = {1, 1.37, 1.14};
    return runs < 3 ? by_runs[runs] : 1;
}

void noise_moderate(const NoiseSample *samples, size_t count, float *out)
{
    Arena *scratch = arena_new();
    Pooled *items = ARENA_ARRAY(scratch, Pooled, count + 1);
    float *prior = ARENA_ARRAY(scratch, float, count + 1);
    for (int narrow = 0; narrow < 2; narrow++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t api = narrow ? samples[i].api : 0;
            if (samples[i].variance >= 0)
                items[used++] = (Pooled){api << 32 | samples[i].pool, samples[i].variance, i};
        }
        raise_priors(items, used, prior);
    }
    for (size_t i = 0; i < count; i++) {
        double runs = samples[i].runs, own = (double)samples[i].variance;
        double moderated = (NOISE_PRIOR * (double)prior[i] + runs * own) / (NOISE_PRIOR + runs);
        out[i] = own < 0 ? -1 : (float)(widened(samples[i].runs) * sqrt(moderated));
    }
    arena_release(scratch);
}
