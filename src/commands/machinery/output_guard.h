// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OUTPUT_GUARD_H
#define VERNIER_COMMANDS_MACHINERY_OUTPUT_GUARD_H

#include "commands/machinery/options.h"

// Keeps a run from writing over what it reads.

// The list of what vernier wrote to a folder (output_list.h).
#define OUTPUT_LIST_NAME ".vernier-files"

// Whether `path` is a file that is there and that an argument or an option names as an input, or
// one that by its name belongs to a dump. False, with *err set (usage), if it is.
bool output_guard_file(const Options *options, const char *path, Error *err);

// Whether `path` is an archive that is read, or leads into one: as above.
bool output_guard_archive(const char *path, Error *err);

// The same of the files after -o, --write-mapping and --write-layer-mapping, that a folder after
// -o is no input, and that no two of these and --history are one file.
bool output_guard_options(const Options *options, Arena *arena, Error *err);

// Whether no word of the command line names the file, and it is none of a dump's own: it may go.
bool output_guard_unnamed(const Options *options, const char *path);

// Whether the folder is an input or lies in one.
bool output_guard_in_input(const Options *options, const char *folder);

#endif
