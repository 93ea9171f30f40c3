// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_NOISE_POOL_H
#define VERNIER_COMPARE_JUDGE_NOISE_POOL_H

#include "base/arena.h"
#include "compare/judge/floor.h"
#include "read/dump/dump.h"

// Spreads measured over a few runs, made dependable by those of like slots.
//
// With few runs the spread of one slot is itself uncertain: two of three runs agree by luck. So it
// is moderated, as in the empirical Bayes method of Smyth (2004): with k runs next to golden, the
// variance of a slot counts k degrees of freedom, and that of like slots NOISE_PRIOR more, or as
// many as others with a spread of their own give.
//
// Like slots are those of the same direction, role
// in the op, number format and statistic; of all of them and of those in the same kind of API or
// module, the one with the larger 95th percentile counts.
enum { NOISE_PRIOR = 4 };

typedef struct NoiseSample {
    float variance;  // relative, squared; -1: not measured
    uint32_t runs;   // next to golden
    uint32_t pool;   // noise_pool_of
    uint32_t api;    // of that pool, the kind of API or module
} NoiseSample;

// Set in the pool of a slot that runs after the first decision of noise.
#define POOL_DECIDED 0x80000000u

uint32_t noise_pool_of(const Op *op, const Slot *slot, Precision precision, Stat stat);

// The moderated standard deviation of each sample, widened where it has few degrees of freedom; -1
// where none was measured. Linear but for sorting.
void noise_moderate(const NoiseSample *samples, size_t count, float *out);

// By op: a number for its kind of API or module, e.g. one for all calls of Functional.linear.
uint32_t *noise_apis(const Dump *dump, Arena *arena);

#endif
