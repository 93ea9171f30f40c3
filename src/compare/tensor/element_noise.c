// SPDX-License-Identifier: Apache-2.0
#include "compare/tensor/element_noise.h"

#include <math.h>

#include "compare/judge/floor.h"
#include "compare/judge/noise.h"
#include "compare/judge/noise_pool.h"
#include "compare/match/match.h"

// Half a step of the format: what rounding the result once more can do.
#define STEP_SHARE 0.5

typedef struct Measurer {
    const Comparison *comparison;
    double *squares;       // by slot pair: sum over runs of the squared distance to golden
    NoiseSample *samples;  // by slot pair
} Measurer;

static Precision precision_at(const Dump *golden, const SlotPair *pair)
{
    return precision_of(names_text(golden->names, golden->slots[pair->golden].dtype));
}

static void find_pools(const Measurer *measurer)
{
    const Comparison *comparison = measurer->comparison;
    const Dump *golden = comparison->golden->dump;
    Arena *scratch = arena_new();
    const uint32_t *apis = noise_apis(golden, scratch);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        if (op->golden == OP_NONE)
            continue;
        for (uint32_t s = op->first_slot; s < op->first_slot + op->slot_count; s++) {
            const SlotPair *pair = &comparison->slots[s];
            if (pair->golden == SLOT_NONE)
                continue;
            measurer->samples[s].api = apis[op->golden];
            measurer->samples[s].pool =
                noise_pool_of(&golden->ops[op->golden], &golden->slots[pair->golden],
                              precision_at(golden, pair), STAT_NORM) |
                (op->golden >= comparison->first_decided ? POOL_DECIDED : 0);
        }
    }
    arena_release(scratch);
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
            measurer->samples[i].runs++;
        }
    arena_release(scratch);
}

static void set_floors(const Measurer *measurer, float *out)
{
    const Comparison *comparison = measurer->comparison;
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        NoiseSample *sample = &measurer->samples[i];
        sample->variance = sample->runs ? (float)(measurer->squares[i] / sample->runs) : -1;
    }
    noise_moderate(measurer->samples, comparison->slot_count, out);
    for (uint32_t i = 0; i < comparison->slot_count; i++) {
        if (out[i] < 0)
            continue;
        double step = epsilon_of(precision_at(comparison->golden->dump, &comparison->slots[i]));
        out[i] = (float)(noise_multiple(STAT_NORM) * (double)out[i] + STEP_SHARE * step);
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
                         .samples = ARENA_ARRAY(scratch, NoiseSample, count)};
    find_pools(&measurer);
    for (size_t run = 0; run < run_count; run++)
        measure_run(&measurer, reading, &runs[run], notices);
    set_floors(&measurer, floors);
    arena_release(scratch);
    return floors;
}
