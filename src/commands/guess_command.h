// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_GUESS_COMMAND_H
#define VERNIER_COMMANDS_GUESS_COMMAND_H

#include <stdbool.h>

#include "commands/machinery/settings.h"

// "vernier FILE...": the command that fits what the files hold.

// Whether the first word names something that is there.
bool guess_fits(int argc, char *const *argv);

// Says the command on standard error and runs it; where there is none that fits, or several, says
// which there are. Gives the exit code.
int guess_run(int argc, char **argv, const Settings *settings);

#endif
