// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_NOISE_H
#define VERNIER_COMPARE_JUDGE_NOISE_H

#include "compare/judge/noise_decided.h"
#include "compare/judge/noise_fit.h"
#include "compare/judge/noise_rounding.h"
#include "read/dump/dump.h"

// The noise floor measured from noise runs: the spread of golden against other runs of the same
// configuration, for every slot and statistic.
//
// An integer or a shape that differs between the runs was decided by noise, as a router does it.
// What runs after the first of them may follow from the decision, which no rounding bounds: those
// slots have pools of their own, so that what runs before it keeps its small floor. An integer that
// varies is held to the spread of its place.
//
// The spread is moderated by that of like slots (compare/judge/noise_pool.h). One step of the
// format that the numbers have, which is not always that of their tensor, is never noise less. The
// floor is a fixed multiple of the moderated spread, larger for Max and Min, whose tails are
// heavier than those of Norm and Mean.

// How many moderated spreads a statistic may be off.
double noise_multiple(Stat stat);

typedef struct NoiseFloor {
    size_t run_count;  // that were measured
    float *share;      // by run as given, of golden's tensors in it
    uint8_t *fits;     // by run as given: NoiseFit; only those that fit are measured
    bool measured;     // a run tells a statistic of golden, or tensors of both are in files
    float *floor;  // [golden slot * STAT_COUNT + stat], relative to floor_scale; -1: not measured
    bool *exact;   // [golden slot]: nothing computed it, and it is equal to the bit in all runs
    // What varies between the runs (compare/judge/noise_decided.h).
    const float *const *reach;
    const uint64_t *axes;
    const NoiseTexts *const *texts;
    bool *decided;  // [golden slot]: an integer tensor or a shape: elements are no evidence
    uint32_t first_decided;  // golden op
} NoiseFloor;

// Linear in slots and runs (but for sorting the pools).
void noise_measure(const Dump *golden, const NoiseSlots *slots, int64_t step,
                   const Dump *const *runs, size_t run_count, Arena *arena, NoiseFloor *out);

#endif
