// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_PLACE_NAME_H
#define VERNIER_READ_DUMP_PLACE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

// How a place of a run is called: its step, its stage and its rank. A stage is what a step consists
// of ("actor_update" of reinforcement learning, "graph" next to "pynative"); empty: it has none.

// What the name of a folder says.
typedef enum FolderRole { FOLDER_PLAIN, FOLDER_STEP, FOLDER_RANK, FOLDER_PROCESS } FolderRole;
typedef struct FolderName {
    FolderRole role;
    int64_t number;  // -1: "rank" without a number
} FolderName;
FolderName folder_name_parse(Str name);

// Before the number of a step within a stage: "actor_update.step1".
#define STAGE_INNER_STEP ".step"

// Of a dump of MindSpore: what is next to its iterations, and graphs after the first one.
#define STAGE_CONSTANTS "constants"
#define STAGE_GRAPH     "graph_"

// Constants, then other stages by name, then those of verl in the order in which a step runs them.
int stage_compare(Str a, Str b);

// Whether verl or MindSpore calls a stage so, or it is empty: not just any folder.
bool stage_is_known(Str stage);

// "step 1" or "step 1 actor_update"; "step 1, rank 0" or "step 1 actor_update, rank 0".
Str place_step_text(int64_t step, Str stage, Arena *arena);
Str place_text(int64_t step, Str stage, int64_t rank, Arena *arena);

// "0–2, 5, 8–15": at most `limit` parts, then an ellipsis. The ranks rise.
Str rank_ranges(const int64_t *ranks, size_t count, size_t limit, Arena *arena);

// "graph-step0-rank1" or "graph-step0-rank1-actor_update": names of files, different for different
// places. Of a stage only letters, digits and "_" are in it as they are, others as "~2F"; a
// long one ends in its checksum.
Str place_base(const char *what, int64_t step, Str stage, int64_t rank, Arena *arena);

#endif
