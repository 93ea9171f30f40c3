// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_WEIGHTS_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_WEIGHTS_H

#include "commands/machinery/product.h"
#include "export/summary/weights_summary.h"

// `vernier compare` on two checkpoints: weights instead of ops (docs/checkpoints.md).

// Both sides hold weights alone, and no option asks for what only dumps have.
bool compare_weights_wanted(const Options *options, const Str paths[2], Arena *arena);

// The job of the caller as far as checkpoints have it.
typedef struct WeightsJob {
    Arena *arena;
    const Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Str paths[2];        // golden, target
    Str golden, target;  // as shown
    Weights sides[2];
    WeightComparison comparison;
    WeightsView view;
    Verdict verdict;
} WeightsJob;

// Reads and compares; `job` outlives the product.
bool compare_weights(WeightsJob *job, Product *out);

#endif
