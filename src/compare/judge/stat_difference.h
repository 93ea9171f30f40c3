// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_STAT_DIFFERENCE_H
#define VERNIER_COMPARE_JUDGE_STAT_DIFFERENCE_H

#include "compare/judge/fold.h"
#include "read/dump/dump.h"

// As fmax, which the C library calls for each value; `a` is a number.
static inline double larger_of(double a, double b)
{
    return b > a ? b : a;
}

// Scales of a statistic on both sides (floor_scale), and the larger of them.
typedef struct Scales {
    double golden, target, larger;
} Scales;

// What of a statistic is compared with what; stat_difference sets all.
typedef struct StatDifference {
    bool told, half, lost;
    Stat stat;  // Max for a norm that is lost
    double golden, target, apart, error;
    Scales scales;
} StatDifference;

// How far two numbers are apart: of integers to the last digit, however large they are.
double stat_apart(const Slot *golden, const Slot *target, Stat stat);

// The difference of a statistic of tensors of as many `elements`. `half`: both are float16, of
// which a norm may be lost.
StatDifference stat_difference(RuleSet without, const Slot *golden, const Slot *target, Stat stat,
                               bool half, uint64_t elements);

#endif
