// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_DUMPS_DUMP_ARGUMENT_H
#define VERNIER_COMMANDS_DUMPS_DUMP_ARGUMENT_H

#include "commands/machinery/options.h"
#include "read/dump/dump_folder.h"

// The one dump that `graph` and `locate` are about: a file, a rank folder, a step folder or a root,
// of which --step, --stage and --rank choose.

// Which steps, stages and ranks of a dump are taken: rows of a command's options, of that nature.
#define SELECTION_OPTIONS(nature)                                                            \
    {"step", 0, OPTION_TEXT, "LIST", TR("steps to take, e.g. 0,2-5"), nature},               \
        {"stage", 0, OPTION_TEXT, "LIST", TR("stages of a step to take, e.g. actor_update"), \
         nature},                                                                            \
    {                                                                                        \
        "rank", 0, OPTION_TEXT, "LIST", TR("ranks to take, e.g. 0,2-5"), nature              \
    }

typedef struct DumpArgument {
    Str shown;  // the path as reports call it
    DumpPlaces places;
    Redaction redaction;  // with --redact; the notices point to it
} DumpArgument;

// What --step, --stage and --rank say: ERR_USAGE where that is no list.
bool dump_selection_read(const Options *options, Arena *arena, DumpSelection *out, Error *err);

// The database of msProbe's viewer knows steps and ranks alone: it holds one stage. ERR_USAGE.
bool dump_one_stage(const DumpPlaces *places, Error *err);

// `command` is named where the dump is missing or there are two: ERR_USAGE.
bool dump_argument_find(const Options *options, const char *command, Arena *arena,
                        DumpArgument *out, Notices *notices, Error *err);

// Dumps of which no statistic is reported, next to others that tell some, and ops of which nobody
// can tell whether they overflowed.
typedef struct SilentDumps {
    size_t telling, silent;
    int64_t step, rank;  // of the first silent one
    uint64_t unsure;     // ops; see Trail
} SilentDumps;

void silent_dumps_add(SilentDumps *dumps, bool tells, int64_t step, int64_t rank);

// The verdict does not describe either: PARTIAL.
void silent_dumps_tell(const SilentDumps *dumps, Notices *notices);

#endif
