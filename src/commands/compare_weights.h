// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_WEIGHTS_H
#define VERNIER_COMMANDS_COMPARE_WEIGHTS_H

#include "commands/console.h"
#include "commands/outputs.h"

// `vernier compare` on two checkpoints: weights instead of ops (docs/checkpoints.md).

// Both sides hold weights alone, and no option asks for what only dumps have.
bool compare_weights_wanted(const Options *options, const Str paths[2], Arena *arena);

typedef struct WeightsJob {
    Arena *arena;
    const Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Str paths[2];        // golden, target
    Str golden, target;  // as shown
} WeightsJob;

// Reads, compares, writes all outputs; gives the exit code.
int compare_weights(const WeightsJob *job, const Console *console);

#endif
