// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/noise.h"

#include <math.h>
#include <string.h>

#include "compare/flow.h"
#include "compare/judge/floor.h"
#include "compare/judge/noise_decided.h"
#include "compare/judge/noise_pool.h"

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
    NoiseRuns runs;      // those of golden's model
    Precision coarsest;  // of the types in golden
    const uint32_t *apis;
    NoiseSample *samples;  // by slot and statistic
    float *steps;          // one step of the number format, relative to the scale
    NoiseDecided decided;
    NoiseFloor *out;
} Measurer;

// Of a mean at least one step of the largest element over the root of the number of elements.
static double step_of(const Slot *slot, Stat stat, double value, uint64_t elements, double epsilon)
{
    double step = floor_step(value, epsilon);
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

// The lower bits of a float32 are zero: the number is one of the coarser type.
static bool is_coarse(double value, Precision precision)
{
    float single = (float)value;
    uint32_t bits, lower = precision == PRECISION_BF16 ? 0xffff : 0x1fff;
    memcpy(&bits, &single, sizeof bits);
    return (double)single == value && (bits & lower) == 0;
}

// A float32 tensor that was bfloat16 or float16 a moment ago moves in their steps.
static Precision format_of(const Measurer *measurer, uint32_t index, Precision own)
{
    static const Stat ends[] = {STAT_MAX, STAT_MIN};
    Precision coarse = measurer->coarsest;
    if ((coarse != PRECISION_BF16 && coarse != PRECISION_F16) || own != PRECISION_F32)
        return own;
    for (int i = 0; i < 2; i++) {
        double value;
        if (!slot_stat(&measurer->golden->slots[index], ends[i], &value) ||
            !is_coarse(value, coarse))
            return own;
        for (size_t run = 0; run < measurer->runs.count; run++)
            if (!noise_runs_value(&measurer->runs, run, index, ends[i], &value) ||
                !is_coarse(value, coarse))
                return own;
    }
    return coarse;
}

// A largest gradient is a single number, made of numbers that the forward pass kept in the coarser
// type: one of them that the runs share by luck moves it by a step all the same.
static Precision format_of_end(const Measurer *measurer, uint32_t op, Stat stat, Precision format)
{
    Precision coarse = measurer->coarsest;
    bool end = stat == STAT_MAX || stat == STAT_MIN;
    bool backward = measurer->golden->ops[op].direction == DIR_BACKWARD ||
                    measurer->golden->ops[op].kind == OP_GRADS;
    return end && precision_is_half(coarse) && backward && format == PRECISION_F32 ? coarse
                                                                                   : format;
}

// Set in the pool of an integer that varies.
#define POOL_INTEGER 0xC0000000u

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
    for (size_t run = 0; run < measurer->runs.count; run++) {
        double value;
        if (!noise_runs_value(&measurer->runs, run, index, stat, &value) || !isfinite(value))
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
                         .pool = noise_pool_of(&measurer->golden->ops[op], slot, format, stat) |
                                 (op >= measurer->decided.first ? POOL_DECIDED : 0)};
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

// The spread of an integer that varies is that of its place in calls of its API: neither pools nor
// steps of a format.
static void measure_integer(const Measurer *measurer, uint32_t op, uint32_t index)
{
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        size_t at = (size_t)index * STAT_COUNT + (size_t)stat;
        NoiseSample *sample = &measurer->samples[at];
        *sample = measure_stat(measurer, op, index, (Stat)stat, PRECISION_EXACT);
        sample->pool = POOL_INTEGER | (measurer->decided.like[index] * STAT_COUNT + (uint32_t)stat);
    }
}

// A row that comes or goes takes the largest element with it, or does not: of rows that vary each
// statistic is as uncertain as the most uncertain of them.
static void level_out(const Measurer *measurer, uint32_t index)
{
    NoiseSample *samples = &measurer->samples[(size_t)index * STAT_COUNT];
    float worst = -1;
    for (int stat = 0; stat < STAT_COUNT; stat++)
        worst = fmaxf(worst, samples[stat].variance);
    for (int stat = 0; stat < STAT_COUNT; stat++)
        if (samples[stat].variance >= 0)
            samples[stat].variance = worst;
}

// A float32 input that no recorded op gave and that holds more digits than the type of the run:
// that it is equal in all runs is no luck.
static bool is_fine_input(const Measurer *measurer, uint32_t index, Precision own)
{
    const Slot *slot = &measurer->golden->slots[index];
    return own == PRECISION_F32 && precision_is_half(measurer->coarsest) && !slot_is_result(slot) &&
           measurer->slots->flow->producer[index] == SLOT_NONE && !flow_ends_are_half(slot);
}

static void measure_slot(const Measurer *measurer, uint32_t op, uint32_t index)
{
    const Slot *slot = &measurer->golden->slots[index];
    Precision own = precision_of_slot(measurer->golden->names, slot);
    bool tensor = slot->kind == SLOT_TENSOR && own != PRECISION_EXACT;
    Precision format = tensor ? format_of(measurer, index, own) : own;
    for (int stat = 0; stat < STAT_COUNT; stat++) {
        NoiseSample *sample = &measurer->samples[(size_t)index * STAT_COUNT + (size_t)stat];
        *sample = (NoiseSample){.variance = -1};
        if (!tensor)
            continue;
        Precision moves = format_of_end(measurer, op, (Stat)stat, format);
        measure_step(measurer, index, (Stat)stat, own, moves);
        *sample = measure_stat(measurer, op, index, (Stat)stat, moves);
    }
    const NoiseDecided *decided = &measurer->decided;
    bool forward = measurer->golden->ops[op].direction == DIR_FORWARD;
    if (decided->integer[index])
        measure_integer(measurer, op, index);
    bool shape = slot->kind == SLOT_TENSOR && decided->axes[index];
    if (shape)
        level_out(measurer, index);
    measurer->out->decided[index] = decided->integer[index] || shape;
    measurer->out->exact[index] = !decided->integer[index] &&
                                  (measurer->slots->flow->source[index] != SOURCE_COMPUTED ||
                                   (forward && is_fine_input(measurer, index, own))) &&
                                  noise_runs_repeat(&measurer->runs, index);
}

static void set_floors(const Measurer *measurer, size_t count, Arena *scratch)
{
    float *floor = measurer->out->floor;
    const float *least =
        noise_rounding_find(measurer->golden, measurer->slots, measurer->runs.count, scratch);
    noise_moderate(measurer->samples, count, floor);
    for (size_t i = 0; i < count; i++) {
        if (floor[i] >= 0)
            floor[i] =
                fmaxf(least[i], (float)(multiples[i % STAT_COUNT] * (double)floor[i] *
                                            (double)measurer->slots->amplification[i / STAT_COUNT] +
                                        STEP_SHARE * (double)measurer->steps[i]));
        if (!isfinite(floor[i]))
            floor[i] = -1;
    }
}

// A statistic of golden's that a run has too, or tensors in files on both sides.
static bool tells_noise(const Measurer *measurer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (measurer->samples[i].variance >= 0)
            return true;
    for (size_t run = 0; run < measurer->runs.count; run++)
        if (measurer->golden->has_data_name && measurer->runs.dumps[run]->has_data_name)
            return true;
    return false;
}

// A run that is none of golden's configuration is left out.
static NoiseFit take_run(NoiseRuns *runs, const Dump **dumps, OpMatch *matches, const Dump *run,
                         const NoiseSlots *slots, int64_t step, float *share, Arena *scratch)
{
    OpMatch *match = &matches[runs->count];
    match_ops(&(MatchSides){.golden = run, .target = runs->golden}, NULL, scratch, match);
    NoiseFit fit = noise_fit(runs->golden, slots, step, run, match->golden_slot_of, share);
    if (fit == NOISE_SUITABLE)
        dumps[runs->count++] = run;
    return fit;
}

static NoiseRuns take_runs(const Dump *golden, const NoiseSlots *slots, int64_t step,
                           const Dump *const *runs, size_t run_count, Arena *scratch,
                           NoiseFloor *floor)
{
    const Dump **dumps = ARENA_ARRAY(scratch, const Dump *, run_count + 1);
    OpMatch *matches = ARENA_ARRAY(scratch, OpMatch, run_count + 1);
    NoiseRuns out = {.golden = golden, .dumps = dumps, .matches = matches};
    for (size_t run = 0; run < run_count; run++)
        floor->fits[run] = (uint8_t)take_run(&out, dumps, matches, runs[run], slots, step,
                                             &floor->share[run], scratch);
    return out;
}

void noise_measure(const Dump *golden, const NoiseSlots *slots, int64_t step,
                   const Dump *const *runs, size_t run_count, Arena *arena, NoiseFloor *out)
{
    size_t count = (size_t)golden->slot_count * STAT_COUNT;
    Arena *scratch = arena_new();
    *out = (NoiseFloor){.share = ARENA_ARRAY(arena, float, run_count + 1),
                        .fits = ARENA_ARRAY(arena, uint8_t, run_count + 1),
                        .floor = ARENA_ARRAY(arena, float, count),
                        .exact = ARENA_ARRAY(arena, bool, golden->slot_count),
                        .decided = ARENA_ARRAY(arena, bool, golden->slot_count)};
    Measurer measurer = {.golden = golden,
                         .slots = slots,
                         .runs = take_runs(golden, slots, step, runs, run_count, scratch, out),
                         .coarsest = precision_coarsest(golden),
                         .apis = noise_apis(golden, scratch),
                         .samples = ARENA_ARRAY(scratch, NoiseSample, count),
                         .steps = ARENA_ARRAY(scratch, float, count),
                         .out = out};
    out->run_count = measurer.runs.count;
    noise_decided_find(&measurer.runs, slots->flow->source, measurer.apis, multiples[STAT_MAX],
                       arena, &measurer.decided);
    out->reach = measurer.decided.reach;
    out->axes = measurer.decided.axes;
    out->texts = measurer.decided.texts;
    out->first_decided = measurer.decided.first;
    for (uint32_t op = 0; op < golden->op_count; op++)
        for (uint32_t i = 0; i < golden->ops[op].slot_count; i++)
            measure_slot(&measurer, op, golden->ops[op].first_slot + i);
    set_floors(&measurer, count, scratch);
    out->measured = tells_noise(&measurer, count);
    arena_release(scratch);
}
