// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CHECK_INPUT_H
#define VERNIER_COMMANDS_CHECK_INPUT_H

#include "commands/machinery/console.h"
#include "commands/machinery/options.h"
#include "compare/invariant/witness_take.h"

// What `vernier check` is about: a dump, checkpoints of one run, or the folder of a training
// monitor, told by what is there.

typedef enum CheckKind { CHECK_DUMP, CHECK_WEIGHTS, CHECK_MONITOR } CheckKind;

typedef struct CheckInput {
    CheckKind kind;
    Str shown;           // as reports call it
    RankWitness *ranks;  // by step, then rank
    Arena **arenas;      // by rank: their memory
    WitnessPool *pool;   // what they have in common
    size_t count;
    ReadTotals totals;
    Redaction redaction;
} CheckInput;

// Reads the arguments, as --step, --stage and --rank choose. `expects`: what dumps are held to
// where one alone decides. What cannot be read gives notices;
// false where nothing is there.
bool check_input_read(const Options *options, const Expects *expects, Arena *arena, CheckInput *out,
                      Notices *notices, Error *err);
void check_input_release(CheckInput *input);

#endif
