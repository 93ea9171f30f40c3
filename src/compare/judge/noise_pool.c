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

// The same tensor, passed through, is measured once.
static uint32_t count_distinct(const Pooled *items, size_t count, uint32_t most)
{
    uint32_t distinct = 1;
    for (size_t i = 1; i < count && distinct < most; i++)
        distinct += items[i].variance != items[i - 1].variance;
    return distinct;
}

// Raises the prior of each sample to the typical variance of its pool, and counts the slots of
// different spread there, up to one more than a prior takes.
static void raise_priors(Pooled *items, size_t count, float *prior, uint8_t *like)
{
    qsort(items, count, sizeof *items, compare_pooled);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && items[end].pool == items[start].pool;)
            end++;
        float variance = typical(items + start, end - start);
        uint8_t distinct = (uint8_t)count_distinct(items + start, end - start, NOISE_PRIOR + 1);
        for (size_t i = start; i < end; i++) {
            uint8_t *others = &like[items[i].sample];
            prior[items[i].sample] = fmaxf(prior[items[i].sample], variance);
            *others = distinct > *others ? distinct : *others;
        }
    }
}

// The fewer degrees of freedom a spread has, the heavier its tails: k of its runs, and as many of
// like slots as there are others with noise of their own. Source: quantiles of Student's t at 1e-4
// (both sides): 100, 22.2, 13.0, 9.7, 8.0 and 7.1 for 2 to 7 degrees; that of one degree would let
// pass whatever there is, it gets twice that of two.
static double widened(uint32_t runs, uint32_t like)
{
    static const double by_degrees[] = {28.2, 28.2, 14.1, 3.13, 1.83, 1.37, 1.14};
    uint32_t others = (like - 1) * runs;
    uint32_t degrees = runs + (others < NOISE_PRIOR ? others : NOISE_PRIOR);
    return degrees < sizeof by_degrees / sizeof *by_degrees ? by_degrees[degrees] : 1;
}

void noise_moderate(const NoiseSample *samples, size_t count, float *out)
{
    Arena *scratch = arena_new();
    Pooled *items = ARENA_ARRAY(scratch, Pooled, count + 1);
    float *prior = ARENA_ARRAY(scratch, float, count + 1);
    uint8_t *like = ARENA_ARRAY(scratch, uint8_t, count + 1);
    for (int narrow = 0; narrow < 2; narrow++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t api = narrow ? samples[i].api : 0;
            if (samples[i].variance >= 0)
                items[used++] = (Pooled){api << 32 | samples[i].pool, samples[i].variance, i};
        }
        raise_priors(items, used, prior, like);
    }
    for (size_t i = 0; i < count; i++) {
        double runs = samples[i].runs, own = (double)samples[i].variance;
        double moderated = (NOISE_PRIOR * (double)prior[i] + runs * own) / (NOISE_PRIOR + runs);
        out[i] = own < 0 ? -1 : (float)(widened(samples[i].runs, like[i]) * sqrt(moderated));
    }
    arena_release(scratch);
}
