// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NOISE_H
#define VERNIER_COMPARE_NOISE_H

#include "read/dump.h"

// The noise floor measured from noise runs: the spread of golden against other runs of the same
// set-up, for every slot and statistic.
//
// With few runs the spread of one slot is itself uncertain: two of three runs agree by luck. So it
// is moderated, as in the empirical Bayes method of Smyth (2004): with k runs beside golden, the
// variance of a slot counts k degrees of freedom, and the upper quartile of the variances of all
// like slots (same direction, role in the op, dtype, statistic) counts NOISE_PRIOR more. One step of
// the slot's own number format is never noise less. The floor is a fixed multiple of the moderated
// spread, larger for Max and Min, whose tails are heavier than those of Norm and Mean.
enum { NOISE_PRIOR = 2 };

// How many moderated spreads a statistic may be off.
double noise_multiple(Stat stat);

typedef struct NoiseFloor {
    size_t run_count;
    float *floor;  // [golden slot * STAT_COUNT + stat], relative to floor_scale; -1: not measured
    bool *exact;   // [golden slot]: nothing computed it, and it is equal to the bit in all runs
} NoiseFloor;

// `sources` is the SourceKind of golden's slots, `elements` the sizes by NameId of golden's shapes.
// Linear in slots and runs (but for sorting the pools).
void noise_measure(const Dump *golden, const Dump *const *runs, size_t run_count,
                   const uint8_t *sources, const uint64_t *elements, Arena *arena, NoiseFloor *out);

#endif
