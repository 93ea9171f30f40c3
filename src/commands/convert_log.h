// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_CONVERT_LOG_H
#define VERNIER_COMMANDS_CONVERT_LOG_H

#include "commands/machinery/runner.h"

// `vernier convert LOG`: the series of a run as CSV, JSON Lines or an event file of TensorBoard.

// Whether the argument is no dump by its name and content, and so may be a log.
bool convert_is_log(const Options *options, Arena *arena);

// The same of `vernier convert MONITOR` (convert_monitor.c), every value with its run, rank, type,
// name, step and statistic: as JSON Lines, a line a row; as CSV, a line a value; in a folder as
// monitor.jsonl and event files, one a rank and type.
bool convert_is_monitor(const Options *options, Arena *arena);
bool convert_monitor(const CommandCall *call, Product *out);

bool convert_log(const CommandCall *call, Product *out);

// The verdict of each: `rest` is what was converted, if anything was.
void convert_tell(const CommandCall *call, bool any, Str rest, Product *out);

#endif
