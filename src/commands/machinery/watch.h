// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_WATCH_H
#define VERNIER_COMMANDS_MACHINERY_WATCH_H

#include "commands/machinery/options.h"

// --watch: a command again and again while its inputs grow.

#define WATCH_SECONDS 10  // without --interval

// Rows of the options of a command that has a `state`.
#define WATCH_OPTIONS                                                                              \
    {"watch",                                                                                      \
     0,                                                                                            \
     OPTION_FLAG,                                                                                  \
     NULL,                                                                                         \
     TR("draw again as the inputs grow, until Ctrl-C; the exit code is that of the last verdict"), \
     OPTION_ASIDE},                                                                                \
        {"interval",                                                                               \
         0,                                                                                        \
         OPTION_NUMBER,                                                                            \
         "SECONDS",                                                                                \
         TR("with --watch: the shortest time between two drawings; default: 10"),                  \
         OPTION_ASIDE},                                                                            \
        {"pid",                                                                                    \
         0,                                                                                        \
         OPTION_NUMBER,                                                                            \
         "PID",                                                                                    \
         TR("with --watch: end when this process, which writes the input, has ended"),             \
         OPTION_ASIDE},                                                                            \
        {"idle",                                                                                   \
         0,                                                                                        \
         OPTION_NUMBER,                                                                            \
         "SECONDS",                                                                                \
         TR("with --watch: end when no input has changed for this long"),                          \
         OPTION_ASIDE},                                                                            \
    {                                                                                              \
        "until-diverges", 0, OPTION_FLAG, NULL,                                                    \
            TR("with --watch: end at the first difference beyond tolerance, exit code 1"),         \
            OPTION_ASIDE                                                                           \
    }

// Whether the watch options given fit each other. ERR_USAGE.
bool watch_check(const Options *options, Error *err);

// `state` with what changes when the file is written. For a command's `state`.
uint64_t watch_file_state(const char *path, uint64_t state);

// Runs `once` in a process of its own each time the inputs have changed (the command's `state`), at
// most every --interval seconds, so that a file that is cut meanwhile costs that time only. What
// was said of them before is not repeated, nor a report that --open has shown. Ends at SIGINT,
// SIGTERM and SIGHUP, at wrong usage, with --until-diverges at the first difference, with --pid
// when that process is gone, and with --idle when no input has changed for so many seconds. Gives
// the exit code of the last verdict; 3: there was none.
int watch_run(Options *options, int (*once)(Options *options, Arena *arena));

#endif
