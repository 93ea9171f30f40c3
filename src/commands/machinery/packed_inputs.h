// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_PACKED_INPUTS_H
#define VERNIER_COMMANDS_MACHINERY_PACKED_INPUTS_H

#include "base/notice.h"
#include "commands/machinery/options.h"

// Archives (.tar.gz, .tgz, .tar, .zip) that the command line names as inputs, or a path inside of
// one, become folders (base/mounts.h): read in memory, nothing is written to disk. A file packed by
// gzip, or alone in an archive, is read as the file; text with a byte order mark (UTF-8, UTF-16) as
// UTF-8 without it. Fails where one is no archive, or too large.
bool packed_inputs_open(const Options *options, Notices *notices, Error *err);

// The same of one input, "[NAME=]PATH[,PATH...]".
bool packed_input_open(Str text, Notices *notices, Error *err);

#endif
