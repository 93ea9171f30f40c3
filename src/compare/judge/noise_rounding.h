// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_NOISE_ROUNDING_H
#define VERNIER_COMPARE_JUDGE_NOISE_ROUNDING_H

#include "compare/judge/amplify.h"

// What one number of 16 bits that rounds to the other side changes in the float32 values after it.
// It is the least that noise can do there: runs that are equal by luck show less.

// What is known of the slots of a dump: their SourceKind, their factors, and the sizes by NameId of
// their shapes.
typedef struct NoiseSlots {
    const Flow *flow;
    const float *amplification;
    const uint64_t *elements;
} NoiseSlots;

// By slot of golden and statistic, relative to floor_scale; 0: nothing of 16 bits is before it. Of
// `runs` that show none, few may be expected, whose effects add up like independent ones.
// Linear in the slots; in `arena`.
float *noise_rounding_find(const Dump *golden, const NoiseSlots *slots, size_t runs, Arena *arena);

#endif
