// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_DUMPS_PARALLEL_PLACES_H
#define VERNIER_COMMANDS_DUMPS_PARALLEL_PLACES_H

#include "base/words.h"
#include "commands/machinery/options.h"
#include "read/settings/parallel_layout.h"

// A row of the options of a command that merges ranks.
#define PARALLEL_MERGE_HELP \
    TR("merge the ranks that hold one model in parts: tp=2,pp=4 (docs/parallel-merge.md)")
#define PARALLEL_MERGE_OPTION                                            \
    {                                                                    \
        "parallel-merge", 0, OPTION_LIST, "LAYOUT", PARALLEL_MERGE_HELP, \
            OPTION_INPUT | OPTION_OF_DUMPS                               \
    }

// --parallel-merge: the ranks that hold one model in parts become one place.

typedef struct ParallelMerge {
    bool wanted;
    ParallelLayout golden, target;  // commands with one dump: target
} ParallelMerge;

// Each value is a layout for both sides, "golden:LAYOUT", "target:LAYOUT", or msProbe's
// compare.json.
bool parallel_merge_options(const Options *options, Arena *arena, ParallelMerge *out, Error *err);

// Replaces the places of each step by one for each copy of the model; its rank is the number of the
// copy. A copy that does not have a rank is left out and said. Fails if the layout does not fit, or
// nothing is left.
bool parallel_places(const ParallelLayout *layout, int jobs, Arena *arena, DumpPlaces *places,
                     Notices *notices, Error *err);

#endif
