// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_PACKED_INPUTS_H
#define VERNIER_COMMANDS_MACHINERY_PACKED_INPUTS_H

#include "base/notice.h"
#include "commands/machinery/options.h"

// Archives (.tar.gz, .tgz, .tar, .zip) that the command line names as inputs, or a path inside of
// one, become folders (base/mounts.h): read in memory, nothing is written to disk. A file packed by
// gzip, or alone in an archive, is read as the file; text with a byte order mark (UTF-8, UTF-16) as
// UTF-8 without it. Fails where one is no archive, or too large.
//
// Standard input, "-", and a pipe that the shell opened (/dev/fd/63, as <(command) gives) are read
// to their ends and are then a file of that name, for every command; with --watch they are left.
bool packed_inputs_open(const Options *options, Notices *notices, Error *err);

// A named pipe is no stream: nobody may ever write into it.
bool packed_input_is_stream(const char *path);

// The same as packed_inputs_open of one input that is no stream, "[NAME=]PATH[,PATH...]".
bool packed_input_open(Str text, Notices *notices, Error *err);

#endif
