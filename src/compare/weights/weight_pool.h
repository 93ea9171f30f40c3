// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_WEIGHTS_WEIGHT_POOL_H
#define VERNIER_COMPARE_WEIGHTS_WEIGHT_POOL_H

#include "compare/weights/weight_match.h"

// What is still without a partner while two checkpoints are paired. Only for weight_match.c and
// weight_fuse.c.

typedef struct PoolWeight {
    uint32_t index;  // in Weights.items
    bool taken;
    bool readable;
    uint64_t fingerprint;
    Str numbers;  // the numbers in its name: "model.layers.3.fc1.weight" gives "3.1."
    TensorFile file;
    double samples[WEIGHT_SAMPLES], turned[WEIGHT_SAMPLES];  // as it is, transposed
    uint64_t sample_count;
} PoolWeight;

typedef struct WeightPool {
    const Weights *weights;
    PoolWeight *items;  // in the order of names
    size_t count;
} WeightPool;

typedef struct WeightPools {
    WeightPool side[2];  // golden, target
    Arena *arena;
    WeightPairs *out;
} WeightPools;

static inline const Weight *pool_weight(const WeightPool *pool, size_t index)
{
    return &pool->weights->items[pool->items[index].index];
}

// Finds weights of one side that hold two or three of the other, one after the other along the
// first axis or in groups, and pairs the parts.
void weight_fuse(WeightPools *pools);

#endif
