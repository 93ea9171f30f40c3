// SPDX-License-Identifier: Apache-2.0
#include "compare/noise.h"

#include <math.h>
#include <string.h>

#include "compare/floor.h"
#include "compare/match.h"
#include "compare/noise_pool.h"
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

typedef struct Measurer {
    const Dump *golden;
    const NoiseSlots *slots;
    const Dump *const *runs;
    size_t run_count;
    Precision coarsest;  // of the types in golden
    const uint32_t *apis;
    OpMatch *matches;      // by run: golden as the target of the match
    NoiseSample *samples;  // by slot and statistic
    float *steps;          // one step of the number format, relative to the scale
    NoiseFloor *out;
} Measurer;

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

// Half the bits of a float32 are zero: the number is one of bfloat16.
static bool is_bfloat16(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (double)single == value && (bits & 0xffff) == 0;
}

// A float32 tensor that was bfloat16 a moment ago moves in the steps of bfloat16.
static Precision format_of(const Measurer *measurer, uint32_t index, Precision own)
{
    if (measurer->coarsest != PRECISION_BF16 || own != PRECISION_F32)
        return own;
    static const Stat ends[] = {STAT_MAX, STAT_MIN};
    for (int i = 0; i < 2; i++) {
        double value;
        if (!slot_stat(&measurer->golden->slots[index], ends[i], &value) || !is_bfloat16(value))
            return own;
        for (size_t run = 0; run < measurer->run_count; run++)
            if (!run_value(measurer, run, index, ends[i], &value) || !is_bfloat16(value))
                return own;
    }
    return PRECISION_BF16;
}

// The variance over golden and all runs that have the slot, in units of what is expected of it.
static NoiseSample measure_stat(const Measurer *measurer, uint32_t op, uint32_t index, Stat stat,
                                Precision format)
{
    const Slot *slot = &measurer->golden->slots[index];
    double golden, scale = floor_scale(slot, stat, measurer->slots->elements[slot->shape]);
    NoiseSample none = {.variance = -1};
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
    double count = (double)sum.count, step = (double)measurer->steps[index * STAT_COUNT + stat];
    double variance = (sum.squares - sum.total * sum.total / count) / (count - 1);
    double expected = (double)measurer->slots->amplification[index];
    return (NoiseSample){.variance =
                             (float)(fmax(variance, step * step / 12) / (expected * expected)),
                         .runs = (uint32_t)sum.count - 1,
                         .api = measurer->apis[op],
                         .pool = noise_pool_of(&measurer->golden->ops[op], slot, format, stat)};
}

static void measure_step(const Measurer *measurer, uint32_t index, Stat stat, Precision own,
                         Precision format)
{
    const Slot *slot = &measurer->golden->slots[index];
    uint64_t elements = measurer->slots->elements[slot->shape];
    double value, scale = floor_scale(slot, stat, elements);
    double epsilon = epsilon_of(stat == STAT_MAX || stat == STAT_MIN ? format : own);
    if (slot_stat(slot, stat, &value) && isfinite(value) && scale > 0)
        measurer->steps[index * STAT_COUNT + stat] =
            (float)(step_of(slot, stat, value, elements, epsilon) / scale);
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

static void measure_slot(const Measurer *measurer, uint32_t op, uint32_t index)
{
    const Slot *slot = &measurer->golden->slots[index];
    Precision own = precision_of(names_text(measurer->golden->names, slot->dtype));
    bool tensor = slot->kind == SLOT_TENSOR && own != PRECISION_EXACT;
    Precision format = tensor ? format_of(measurer, index, own) : own;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        NoiseSample *sample = &measurer->samples[(size_t)index * STAT_COUNT + (size_t)stat];
        *sample = (NoiseSample){.variance = -1};
        if (!tensor)
            continue;
        measure_step(measurer, index, (Stat)stat, own, format);
        *sample = measure_stat(measurer, op, index, (Stat)stat, format);
    }
    measurer->out->exact[index] =
        measurer->slots->sources[index] != SOURCE_COMPUTED && equal_in_all_runs(measurer, index);
}

static void set_floors(const Measurer *measurer, size_t count)
{
    float *floor = measurer->out->floor;
    noise_moderate(measurer->samples, count, floor);
    for (size_t i = 0; i < count; i++)
        if (floor[i] >= 0)
            floor[i] = (float)(multiples[i % STAT_COUNT] * (double)floor[i] *
                                   (double)measurer->slots->amplification[i / STAT_COUNT] +
                               STEP_SHARE * (double)measurer->steps[i]);
}

static Precision coarsest_type(const Dump *golden)
{
    Precision out = PRECISION_EXACT;
    for (uint32_t i = 0; i < golden->slot_count; i++) {
        Precision own = precision_of(names_text(golden->names, golden->slots[i].dtype));
        if (epsilon_of(own) > epsilon_of(out))
            out = own;
    }
    return out;
}

static bool any_slot_met(const Measurer *measurer)
{
    for (size_t run = 0; run < measurer->run_count; run++)
        for (uint32_t i = 0; i < measurer->golden->slot_count; i++)
            if (measurer->matches[run].golden_slot_of[i] != UINT32_MAX)
                return true;
    return false;
}

void noise_measure(const Dump *golden, const NoiseSlots *slots, const Dump *const *runs,
                   size_t run_count, Arena *arena, NoiseFloor *out)
{
    size_t count = (size_t)golden->slot_count * STAT_COUNT;
    Arena *scratch = arena_new();
    *out = (NoiseFloor){.run_count = run_count,
                        .floor = ARENA_ARRAY(arena, float, count),
                        .exact = ARENA_ARRAY(arena, bool, golden->slot_count)};
    Measurer measurer = {.golden = golden,
                         .slots = slots,
                         .runs = runs,
                         .run_count = run_count,
                         .coarsest = coarsest_type(golden),
                         .apis = noise_apis(golden, scratch),
                         .matches = ARENA_ARRAY(scratch, OpMatch, run_count),
                         .samples = ARENA_ARRAY(scratch, NoiseSample, count),
                         .steps = ARENA_ARRAY(scratch, float, count),
                         .out = out};
    for (size_t run = 0; run < run_count; run++)
        match_ops(&(MatchSides){.golden = runs[run], .target = golden}, NULL, scratch,
                  &measurer.matches[run]);
    for (uint32_t op = 0; op < golden->op_count; op++)
        for (uint32_t i = 0; i < golden->ops[op].slot_count; i++)
            measure_slot(&measurer, op, golden->ops[op].first_slot + i);
    set_floors(&measurer, count);
    out->measured = any_slot_met(&measurer);
    arena_release(scratch);
}
