// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_SHELL_SETTINGS_SOURCE_H
#define VERNIER_COMMANDS_SHELL_SETTINGS_SOURCE_H

#include "commands/machinery/settings.h"

// The settings of this run: VERNIER_* of the environment, then the file of --config, else of
// VERNIER_CONFIG, else vernier.toml in the working folder or the nearest one above. Keys and
// variables are the options of the tables that have the nature OPTION_SETTING: an option of every
// command stands before the first [table], one of a command in the table of its name.
// Nothing with --no-config. A file that is broken makes *out broken.
void settings_read(int argc, char **argv, Arena *arena, Settings *out);

// Whether the word after this one is its value, and no option, in a command line of `command`
// (NULL: not known yet).
bool settings_takes_next(const char *command, const char *word);

// What the command of the command line gets of an option of every command, e.g. "lang"; or empty.
Str settings_text(const Settings *settings, const char *name);

// vernier config: what is in force and where it comes from, and what may be set.
int command_config(const Settings *settings, int argc, char **argv);

#endif
