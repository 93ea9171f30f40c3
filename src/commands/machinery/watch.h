// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_WATCH_H
#define VERNIER_COMMANDS_MACHINERY_WATCH_H

#include "commands/machinery/options.h"

// --watch: a command again and again while its inputs grow.

#define WATCH_SECONDS 10  // without --interval

// Runs `once` in a process of its own each time the inputs have changed (the command's `state`), at
// most every --interval seconds (what was told of them before, and a report that --open has
// shown, is not repeated), so that a file that is cut meanwhile costs that time only. Ends at
// SIGINT, SIGTERM and SIGHUP, at wrong usage, with --until-diverges at the first difference, with
// --pid when that process is gone, and with --idle when no input has changed for so many seconds.
// Gives the exit code of the last verdict; 3: there was none.
int watch_run(Options *options, int (*once)(Options *options, Arena *arena));

#endif
