// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_LOG_OPTIONS_H
#define VERNIER_COMMANDS_MACHINERY_LOG_OPTIONS_H

#include "base/notice.h"
#include "commands/machinery/options.h"
#include "read/log/log_part.h"

// --pattern, --patterns and --columns of the commands that read logs.

#define LOG_PATTERN_HELP \
    TR("a line of a log in an unknown format: 's:{step} trl:{loss} lr:{lr} norm:{grad_norm}'")
#define LOG_PATTERNS_HELP TR("patterns of lines from a file, one a line (docs/curves.md)")
#define LOG_COLUMNS_HELP  TR("columns of a table, by number or name: step=2,loss=objective")
// clang-format off
#define LOG_OPTIONS                                                     \
    {"pattern", 0, OPTION_LIST, "FORM", LOG_PATTERN_HELP, 0},           \
    {"patterns", 0, OPTION_LIST, "FILE", LOG_PATTERNS_HELP, OPTION_INPUT}, \
    {"columns", 0, OPTION_TEXT, "LIST", LOG_COLUMNS_HELP, 0}
// clang-format on

// What the options say of the logs, and the files *.patterns in $XDG_CONFIG_HOME/vernier, else
// ~/.config/vernier, for logs that they fit.
bool log_wish_read(const Options *options, Arena *arena, Notices *notices, LogWish *out,
                   Error *err);

// The same without a command line: the forms of these files.
bool log_wish_of_files(const Str *files, size_t count, Arena *arena, Notices *notices, LogWish *out,
                       Error *err);

#endif
