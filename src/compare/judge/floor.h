// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_FLOOR_H
#define VERNIER_COMPARE_JUDGE_FLOOR_H

#include "read/dump/dump.h"

// The noise to expect where no noise runs were given: what another order of accumulation changes in
// a statistic, by the type of the numbers. A difference up to the floor is no difference.

typedef enum Precision {
    PRECISION_EXACT,  // integers, bool, text
    PRECISION_F64,
    PRECISION_F32,
    PRECISION_F16,
    PRECISION_BF16,
    PRECISION_F8,
    PRECISION_COUNT
} Precision;

// From the text of a dtype, any framework's spelling ("torch.bfloat16", "BFloat16").
Precision precision_of(Str dtype);

// By NameId of the dump: the Precision of the dtypes of its tensors. Linear in the slots.
const uint8_t *precisions_of(const Dump *dump, Arena *arena);

// Of a tensor: that of its dtype. One whose dtype is not recorded is a float32 where its largest or
// smallest element is written as a float ("1.0", not "1"), else exact.
Precision precision_of_slot(const Names *names, const Slot *slot);

// The coarsest type of the tensors of a dump. Linear in the slots.
Precision precision_coarsest(const Dump *dump);

// One step of the type at 1.0; 0 for PRECISION_EXACT.
double epsilon_of(Precision precision);

// Equal up to the spelling of frameworks: "torch.float32" and "Float32". Unknown texts compare as
// they are.
bool dtype_equal(Str a, Str b);

// One step of a type at `value`, where it has the step `step` at 1.0.
double floor_step(double value, double step);

// The floor of a statistic, relative to its scale (floor_scale). `run` is the coarsest type that
// the run has computed in so far: a float32 tensor of a bfloat16 run carries bfloat16 noise.
// Twice what was measured, since a clean run must not be accused: see FLOOR_MEASURED.
double floor_default(Stat stat, Precision own, Precision run);

// The share of the default floor that runs which round otherwise were measured to reach.
#define FLOOR_MEASURED 0.5

static inline bool precision_is_half(Precision precision)  // of 16 bits
{
    return precision == PRECISION_F16 || precision == PRECISION_BF16;
}

// How many times the floor what a training run computes may be off at a step after others, where
// its weights are not all equal: they carry the noise that Adam makes of small gradients, and in 16
// bits what an update rounds.
//
// Source: six models that round otherwise; of the float32 gradients of
// the second step 99 in 100 stay below 6.6 steps of the norm, 20 of Max and 2 of Mean, of those of
// the first below 2.0, 6.2 and 0.8. Of 70 further ones the largest was 134 steps of Max in float32,
// and in bfloat16 8.4, 2.3 of Mean, where the first step has no more than 6 and 2.
#define FLOOR_LATER      5
#define FLOOR_LATER_HALF 1.5

// The smallest number of float16, and as many of them as rounding may move a number by: those of
// Max and Min.
#define FLOAT16_SMALLEST 5.9604644775390625e-08
#define HALF_STEPS       6

// Squares of smaller numbers are no normal float16 any more.
#define FLOAT16_SMALL 0.0078125

// What a statistic's difference is measured against: the norm against itself, Max and Min against
// the largest element, Mean against norm / sqrt(elements). `elements` 0: unknown. Zero when
// everything is zero.
double floor_scale(const Slot *golden, Stat stat, uint64_t elements);

// How many times the floor the norm and the mean of a coarse type may be off that few numbers make
// up: they average the errors of so many, (norm / largest)^2. At most FLOOR_OF_ONE, but of 8 bits.
// Source: bfloat16 runs that round otherwise reach 0.5, 1.0, 1.8 and 1.6 floors of the norm with
// 1024, 64, 16 elements, of which about 90, 11 and 5 make it up, and with one.
#define FLOOR_MANY   16.0
#define FLOOR_OF_ONE 2.0
double floor_of_few(const Slot *slot, Stat stat, Precision own);

#endif
