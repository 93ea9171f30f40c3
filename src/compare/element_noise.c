// SPDX-License-Identifier: Apache-2.0
#include "compare/element_noise.h"

#include <math.h>
#include <stdlib.h>

#include "compare/floor.h"
#include "compare/match.h"
#include "compare/noise.h"

// Half a step of the format: what rounding the result once more can do.
#define STEP_SHARE 0.5

enum { ROLES = GROUP_DEBUG + 1, DIRECTIONS = DIR_BACKWARD + 1 };
enum { POOLS = DIRECTIONS * ROLES * PRECISION_COUNT };

typedef struct Measurer {
    const Comparison *comparison;
    double *squares;   // by slot pair: sum over runs of the squared distance to golden
    uint32_t *counts;  // by slot pair: runs that were measured
    uint32_t *pools;   // by slot pair
} Measurer;

static Precision precision_at(const Dump *golden, const SlotPair *pair)
{
    return precision_of(names_text(golden->names, golden->slots[pair->golden].dtype));
}

static void find_pools(const Measurer *measurer)
{
    const Comparison *comparison = measurer->comparison;
    const Dump *golden = comparison->golden->dump;
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->golden == OP_NONE)
            continue;
        int direction = golden->ops[op->golden].direction;
        for (uint32_t s = op->first_slot; s < op->first_slot + op->slot_count; s++) {
            const SlotPair *pair = &comparison->slots[s];
            if (pair->golden == SLOT_NONE)
                continue;
            int role = golden->slots[pair->golden].group;
            measurer->pools[s] = (uint32_t)((direction * ROLES + role) * PRECISION_COUNT +
                                            (int)precision_at(golden, pair));
        }
    }
}

static bool measured(const TensorMetrics *metrics)
{
    return (metrics->state == ELEMENTS_COMPUTED || metrics->state == ELEMENTS_SCALAR) &&
           isfinite(metrics->norm_error);
}

static void measure_run(const Measurer *measurer, const ElementReading *reading,
                        const ElementNoiseRun *run, Notices *notices)
{
    const Comparison *comparison = measurer->comparison;
    Arena *scratch = arena_new();
    OpMatch match;
    match_ops(&(MatchSides){.golden = run->dump, .target = reading->golden}, NULL, scratch, &match);
    ElementPair *pairs = ARENA_ARRAY(scratch, ElementPair, comparison->slot_count + 1);
    TensorMetrics *metrics = ARENA_ARRAY(scratch, TensorMetrics, comparison->slot_count + 1);
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        uint32_t golden = comparison->slots[i].golden;
        uint32_t found = golden == SLOT_NONE ? UINT32_MAX : match.golden_slot_of[golden];
        pairs[i] = (ElementPair){golden, found == UINT32_MAX ? SLOT_NONE : found};
    }
    ElementReading noise = *reading;
    noise.target = run->dump;
    noise.target_folder = run->folder;
    elements_read(&noise, pairs, comparison->slot_count, metrics, notices);
    for (uint32_t i = 0; i < comparison->slot_count; i++)
        if (measured(&metrics[i])) {
            measurer->squares[i] += metrics[i].norm_error * metrics[i].norm_error;
            measurer->counts[i]++;
        }
    arena_release(scratch);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The upper quartile of the mean squares in each pool.
static void pool_squares(const Measurer *measurer, Arena *scratch, double quartile[POOLS])
{
    uint32_t count = measurer->comparison->slot_count;
    size_t *start = ARENA_ARRAY(scratch, size_t, POOLS + 1);
    size_t *next = ARENA_ARRAY(scratch, size_t, POOLS);
    for (uint32_t i = 0; i < count; i++)
        start[measurer->pools[i] + 1] += measurer->counts[i] != 0;
    for (size_t pool = 0; pool < POOLS; pool++) {
        start[pool + 1] += start[pool];
        next[pool] = start[pool];
    }
    double *values = ARENA_ARRAY(scratch, double, start[POOLS] + 1);
    for (uint32_t i = 0; i < count; i++)
        if (measurer->counts[i])
            values[next[measurer->pools[i]]++] = measurer->squares[i] / measurer->counts[i];
    for (size_t pool = 0; pool < POOLS; pool++) {
        size_t size = start[pool + 1] - start[pool];
        if (size == 0)
            continue;
        qsort(values + start[pool], size, sizeof *values, compare_doubles);
        quartile[pool] = values[start[pool] + size * 3 / 4];
    }
}

static void set_floors(const Measurer *measurer, Arena *scratch, float *out)
{
    const Comparison *comparison = measurer->comparison;
    double quartile[POOLS] = {0};
    pool_squares(measurer, scratch, quartile);
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        double count = measurer->counts[i];
        out[i] = -1;
        if (count == 0)
            continue;
        double moderated = (NOISE_PRIOR * quartile[measurer->pools[i]] + measurer->squares[i]) /
                           (NOISE_PRIOR + count);
        double step = epsilon_of(precision_at(comparison->golden->dump, &comparison->slots[i]));
        out[i] = (float)(noise_multiple(STAT_NORM) * sqrt(moderated) + STEP_SHARE * step);
    }
}

float *element_noise_measure(const Comparison *comparison, const ElementReading *reading,
                             const ElementNoiseRun *runs, size_t run_count, Arena *arena,
                             Notices *notices)
{
    Arena *scratch = arena_new();
    size_t count = (size_t)comparison->slot_count + 1;
    float *floors = ARENA_ARRAY(arena, float, count);
    Measurer measurer = {.comparison = comparison,
                         .squares = ARENA_ARRAY(scratch, double, count),
                         .counts = ARENA_ARRAY(scratch, uint32_t, count),
                         .pools = ARENA_ARRAY(scratch, uint32_t, count)};
    find_pools(&measurer);
    for (size_t run = 0; run < run_count; run++)
        measure_run(&measurer, reading, &runs[run], notices);
    set_floors(&measurer, scratch, floors);
    arena_release(scratch);
    return floors;
}
