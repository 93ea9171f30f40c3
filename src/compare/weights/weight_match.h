// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_MATCH_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_MATCH_H

#include "compare/weights/weight_view.h"
#include "read/tensor/weights_file.h"

// Pairs the weights of two checkpoints (docs/checkpoints.md): by name, then by equal values, as
// parts of a fused weight, as a padded one, and what is left by its nearest in shape and value.

#define WEIGHT_NONE UINT32_MAX

typedef enum WeightForm {
    WEIGHT_RENAMED = 1,  // paired by its values, not by its name
    WEIGHT_NEAREST = 2,  // renamed, and the values differ: the nearest of its shape
    WEIGHT_FUSED = 4,    // the target holds it as a part of a larger weight
    WEIGHT_SPLIT = 8,    // golden holds it as a part of a larger weight
    WEIGHT_TRANSPOSED = 16,
    WEIGHT_PADDED = 32,   // one side has more rows; the common ones are compared
    WEIGHT_RESHAPED = 64  // one name, two shapes: not comparable
} WeightForm;

typedef struct WeightPair {
    uint32_t golden, target;  // index in Weights.items, or WEIGHT_NONE
    uint32_t forms;           // WeightForm bits
    bool unread;              // one is WEIGHT_NONE since that side's could not be read
    WeightSpan golden_span, target_span;
} WeightPair;

typedef struct WeightPairs {
    WeightPair *items;  // in the order of golden's names, then the target's alone
    size_t count, capacity;
} WeightPairs;

// Reads values only of weights without a partner of that name and shape, each once and at a few
// places. `jobs` threads; the result does not depend on them.
void weight_match(const Weights *golden, const Weights *target, int jobs, Arena *arena,
                  WeightPairs *out, Notices *notices);

#endif
