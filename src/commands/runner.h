// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_RUNNER_H
#define VERNIER_COMMANDS_RUNNER_H

#include "commands/collector.h"
#include "commands/console.h"
#include "commands/options.h"

// What every command does around its own work: it reads the command line, answers --help, opens the
// console and the memory of the run, and gives the exit code.

typedef struct CommandCall {
    Arena *arena;  // of the run; a collector's own where there is one
    Options options;
    Console console;
    int argc;
    char **argv;
} CommandCall;

// `body` gives the exit code. With a collector nothing is written or printed: all of it goes there.
int command_run(const CommandSpec *command, int (*body)(const CommandCall *call), int argc,
                char **argv, Collector *collector);

#endif
