// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_OUTPUT_GUARD_H
#define VERNIER_COMMANDS_OUTPUT_GUARD_H

#include "commands/options.h"

// Keeps a run from writing over what it reads.

// Whether `path` is a file that is there and that an argument or an option names as an input, or one
// that by its name belongs to a dump. False, with *err set (usage), if it is.
bool output_guard_file(const Options *options, const char *path, Error *err);

// The same of the files behind -o, --write-mapping and --write-layer-mapping, and that no two of
// these and --history are one file.
bool output_guard_options(const Options *options, Arena *arena, Error *err);

#endif
