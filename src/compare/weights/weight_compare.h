// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_COMPARE_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_COMPARE_H

#include "compare/tensor/tensor_metrics.h"
#include "compare/weights/weight_match.h"

// Two checkpoints weight by weight: what differs, and how much.

// What the rows hold that only one side of a padded pair has.
typedef enum PaddingKind {
    PADDING_NONE,
    PADDING_ZERO,
    PADDING_EQUAL_ROWS,
    PADDING_VALUES
} PaddingKind;

typedef struct WeightResult {
    WeightPair pair;
    TensorMetrics metrics;  // all zero but the counts where bytes are equal
    Status status;          // SAME, PASS (equal but for the rounding of another dtype), ERROR,
                            // UNMATCHED, NO_DATA (could not be read)
    double norm_relative;   // |norm of n - norm of b| / norm of b
    PaddingKind padding;
    bool empty;  // without an element on both sides: there is nothing to compare
} WeightResult;

typedef struct WeightComparison {
    const Weights *golden, *target;
    WeightResult *items;  // in the order of the pairs
    size_t count;
    size_t compared;                     // pairs whose values were compared
    size_t empty;                        // pairs without an element
    size_t status_counts[STATUS_COUNT];  // of the other items
    size_t alone[2];                     // weights only golden, only the target has
    size_t worst;                        // the item with the largest difference; SIZE_MAX: none
} WeightComparison;

// The result lives in `arena`. Equal bytes are read once and nothing is computed of them; memory
// does not grow with the size of the weights.
void weight_compare(const Weights *golden, const Weights *target, int jobs, Arena *arena,
                    WeightComparison *out, Notices *notices);

#endif
