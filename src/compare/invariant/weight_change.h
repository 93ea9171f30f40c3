// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WEIGHT_CHANGE_H
#define VERNIER_COMPARE_INVARIANT_WEIGHT_CHANGE_H

#include "compare/invariant/law.h"

// Whether a weight moved between two dumps of a rank, and whether it should have.

typedef struct WeightChange {
    const ParameterSeen *after;
    bool changed;
} WeightChange;

// False where a weight that stays as it is would not be told from one that moves: float32 alone
// tells small steps, of checkpoints every float of many elements.
bool weight_change(const ParameterSeen *it, const RankWitness *later, WeightChange *out);

// Statistics that a norm keeps of its inputs: the forward pass moves them, on each rank by its own
// data, and no rate bounds them.
bool weight_is_statistic(Str name);

// The gradient against the weight; NaN where there is no gradient that should move it.
double weight_push(const ParameterSeen *it);

// The push from which on a weight moves for sure between these dumps: that of the lowest quarter of
// those that moved, or four times the least of all. NaN: none moved.
double weight_sure_push(const Evidence *of, size_t rank, size_t later);

#endif
