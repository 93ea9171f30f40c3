// SPDX-License-Identifier: Apache-2.0
#include "compare/noise.h"

#include <math.h>
#include <stdlib.h>

#include "compare/floor.h"
#include "compare/match.h"
#include "compare/source.h"

// How many moderated spreads a statistic may be off. Source: runs that differ only in the order of
// accumulation stay below 4 (Norm), 8 (Mean), 9 (Max, Min) over thousands of slots; a shift by four
// times the range of four runs gives 9 and more in the norm.
static const double multiples[STAT_COUNT] = {
    [STAT_MAX] = 13, [STAT_MIN] = 13, [STAT_MEAN] = 11, [STAT_NORM] = 6};

double noise_multiple(Stat stat)
{
    return multiples[stat];
}

// Half a step of the format is added to every floor: what rounding the statistic itself can do.
#define STEP_SHARE 0.5

typedef struct Spread {
    float variance;  // relative to the scale, squared; -1: not measured
    float step;      // one step of the number format, relative to the scale
    uint32_t pool;
} Spread;

enum { ROLES = GROUP_DEBUG + 1, DIRECTIONS = DIR_BACKWARD + 1 };
enum { POOLS = DIRECTIONS * ROLES * PRECISION_COUNT * STAT_COUNT };

typedef struct Measurer {
    const Dump *golden;
    const Dump *const *runs;
    size_t run_count;
    const uint8_t *sources;
    const uint64_t *elements;
    OpMatch *matches;  // by run: golden as the target of the match
    Spread *spreads;   // by slot and statistic
    NoiseFloor *out;
} Measurer;

// Keyword arguments are inputs; gradients of weights are outputs of the backward pass.
static int role_of(const Slot *slot)
{
    if (slot->group == GROUP_KWARGS)
        return GROUP_INPUT;
    return slot->group == GROUP_GRADS ? GROUP_OUTPUT : slot->group;
}

static uint32_t pool_of(const Op *op, const Slot *slot, Precision precision, Stat stat)
{
    int direction = op->kind == OP_GRADS ? DIR_BACKWARD : op->direction;
    return (uint32_t)(((direction * ROLES + role_of(slot)) * PRECISION_COUNT + (int)precision) *
                          STAT_COUNT +
                      (int)stat);
}

static double step_at(double value, double epsilon)
{
    int exponent;
    if (value == 0)
        return 0;
    frexp(value, &exponent);
    return ldexp(epsilon, exponent - 1);
}

// Of a mean at least one step of the largest element over the root of the number of elements.
static double step_of(const Slot *slot, Stat stat, double value, uint64_t elements, double epsilon)
{
    double step = step_at(value, epsilon);
    if (stat == STAT_MEAN && elements) {
        double largest = floor_scale(slot, STAT_MAX, elements);
        step = fmax(step, 0.5 * epsilon_of(PRECISION_F32) * largest / sqrt((double)elements));
    }
    return step;
}

typedef struct Sum {
    double total, squares;  // of the differences to golden
    size_t count;
} Sum;

static bool run_value(const Measurer *measurer, size_t run, uint32_t slot, Stat stat, double *out)
{
    uint32_t found = measurer->matches[run].golden_slot_of[slot];
    return found != UINT32_MAX && slot_stat(&measurer->runs[run]->slots[found], stat, out);
}

// The variance over golden and all runs that have the slot.
static Spread measure_stat(const Measurer *measurer, uint32_t op, uint32_t index, Stat stat,
                           Precision precision)
{
    const Slot *slot = &measurer->golden->slots[index];
    uint64_t elements = measurer->elements[slot->shape];
    double golden, scale = floor_scale(slot, stat, elements);
    Spread none = {.variance = -1};
    if (!slot_stat(slot, stat, &golden) || !isfinite(golden) || scale == 0)
        return none;
    Sum sum = {.count = 1};
    for (size_t run = 0; run < measurer->run_count; run++) {
        double value;
        if (!run_value(measurer, run, index, stat, &value) || !isfinite(value))
            continue;
        double difference = (value - golden) / scale;
        sum.total += difference;
        sum.squares += difference * difference;
        sum.count++;
    }
    if (sum.count < 2)
        return none;
    double count = (double)sum.count;
    double variance = (sum.squares - sum.total * sum.total / count) / (count - 1);
    double step = step_of(slot, stat, golden, elements, epsilon_of(precision)) / scale;
    return (Spread){.variance = (float)fmax(variance, step * step / 12),
                    .step = (float)step,
                    .pool = pool_of(&measurer->golden->ops[op], slot, precision, stat)};
}

static bool equal_in_all_runs(const Measurer *measurer, uint32_t slot)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        double golden, value;
        if (!slot_stat(&measurer->golden->slots[slot], (Stat)stat, &golden))
            continue;
        for (size_t run = 0; run < measurer->run_count; run++)
            if (!run_value(measurer, run, slot, (Stat)stat, &value) ||
                (value != golden && !(isnan(value) && isnan(golden))))
                return false;
    }
    return true;
}

static void measure_slot(Measurer *measurer, uint32_t op, uint32_t index)
{
    const Slot *slot = &measurer->golden->slots[index];
    Precision precision = precision_of(names_text(measurer->golden->names, slot->dtype));
    bool tensor = slot->kind == SLOT_TENSOR && precision != PRECISION_EXACT;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        measurer->spreads[(size_t)index * STAT_COUNT + (size_t)stat] =
            tensor ? measure_stat(measurer, op, index, (Stat)stat, precision)
                   : (Spread){.variance = -1};
    measurer->out->exact[index] =
        measurer->sources[index] != SOURCE_COMPUTED && equal_in_all_runs(measurer, index);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The upper quartile of the variances in each pool: a few gradients that are zero by mathematics
// and nothing but rounding must not set the floor of all others.
static void pool_variances(const Measurer *measurer, size_t spread_count, double quartile[POOLS])
{
    Arena *scratch = arena_new();
    size_t *start = ARENA_ARRAY(scratch, size_t, POOLS + 1);
    for (size_t i = 0; i < spread_count; i++)
        if (measurer->spreads[i].variance >= 0)
            start[measurer->spreads[i].pool + 1]++;
    for (size_t pool = 0; pool < POOLS; pool++)
        start[pool + 1] += start[pool];
    float *values = ARENA_ARRAY(scratch, float, start[POOLS]);
    size_t *next = ARENA_ARRAY(scratch, size_t, POOLS);
    for (size_t pool = 0; pool < POOLS; pool++)
        next[pool] = start[pool];
    for (size_t i = 0; i < spread_count; i++)
        if (measurer->spreads[i].variance >= 0)
            values[next[measurer->spreads[i].pool]++] = measurer->spreads[i].variance;
    for (size_t pool = 0; pool < POOLS; pool++) {
        size_t count = start[pool + 1] - start[pool];
        if (count == 0)
            continue;
        qsort(values + start[pool], count, sizeof *values, compare_floats);
        quartile[pool] = (double)values[start[pool] + count * 3 / 4];
    }
    arena_release(scratch);
}

static void set_floors(Measurer *measurer, size_t spread_count)
{
    double quartile[POOLS] = {0};
    pool_variances(measurer, spread_count, quartile);
    double freedom = (double)measurer->run_count;
    for (size_t i = 0; i < spread_count; i++) {
        const Spread *spread = &measurer->spreads[i];
        if (spread->variance < 0) {
            measurer->out->floor[i] = -1;
            continue;
        }
        double moderated =
            (NOISE_PRIOR * quartile[spread->pool] + freedom * (double)spread->variance) /
            (NOISE_PRIOR + freedom);
        measurer->out->floor[i] = (float)(multiples[i % STAT_COUNT] * sqrt(moderated) +
                                          STEP_SHARE * (double)spread->step);
    }
}

void noise_measure(const Dump *golden, const Dump *const *runs, size_t run_count,
                   const uint8_t *sources, const uint64_t *elements, Arena *arena, NoiseFloor *out)
{
    size_t spread_count = (size_t)golden->slot_count * STAT_COUNT;
    Arena *scratch = arena_new();
    *out = (NoiseFloor){.run_count = run_count,
                        .floor = ARENA_ARRAY(arena, float, spread_count),
                        .exact = ARENA_ARRAY(arena, bool, golden->slot_count)};
    Measurer measurer = {.golden = golden,
                         .runs = runs,
                         .run_count = run_count,
                         .sources = sources,
                         .elements = elements,
                         .matches = ARENA_ARRAY(scratch, OpMatch, run_count),
                         .spreads = ARENA_ARRAY(scratch, Spread, spread_count),
                         .out = out};
    for (size_t run = 0; run < run_count; run++)
        match_ops(&(MatchSides){.golden = runs[run], .target = golden}, NULL, scratch,
                  &measurer.matches[run]);
    for (uint32_t op = 0; op < golden->op_count; op++)
        for (uint32_t i = 0; i < golden->ops[op].slot_count; i++)
            measure_slot(&measurer, op, golden->ops[op].first_slot + i);
    set_floors(&measurer, spread_count);
    arena_release(scratch);
}
