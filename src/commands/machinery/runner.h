// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_RUNNER_H
#define VERNIER_COMMANDS_MACHINERY_RUNNER_H

#include "commands/machinery/product.h"
#include "commands/machinery/settings.h"

// What a command has while it computes its product; all of it outlives the product.
typedef struct CommandCall {
    Arena *arena;
    Options *options;
    Outputs *outputs;  // to plan
    Notices *notices;  // with --redact without folders
    Error *err;
} CommandCall;

// The command line read, with the settings after it, the product computed, written and told; gives
// the exit code. Answers --help.
int command_run(const CommandSpec *command, const Settings *settings, int argc, char **argv);

// Prints why the command line is refused; gives the exit code.
int command_refuse(int argc, char *const *argv, const Error *err);

// The product alone, for another command; it lives in `arena`. False: *out->err says why.
bool command_compute(Options *options, Arena *arena, Product *out);

#endif
