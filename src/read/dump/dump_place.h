// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_DUMP_PLACE_H
#define VERNIER_READ_DUMP_DUMP_PLACE_H

#include <stdbool.h>

#include "base/str.h"

// Where one dump of a run lies.
typedef struct DumpPlace {
    int64_t step, rank;  // from the folder names; 0 where there is none
    bool has_step, has_rank;
    const char *folder;  // holds stack.json, construct.json, dump_tensor_data
    const char *file;    // dump.json or debug.json
    Str rank_label;      // "rank0", "rank", "proc2016" or empty
    Str stage;           // what of the step it is: "actor_update", "graph"; empty: the step itself
    // Ranks whose graphs are one (model/ranks/rank_merge.h), batches × tp × pp of them; NULL: this
    // dump alone.
    const struct DumpPlace *parts;
    size_t tp, pp, vpp;
    size_t batches, cp;    // how many have tokens of their own; parts of a sequence
    size_t ep, ep_stride;  // how many hold all experts, and how far apart these are numbered
    bool mean;             // the loss of each rank is the mean of its own tokens
} DumpPlace;

typedef struct DumpPlaces {
    DumpPlace *items;  // by step, stage, rank
    size_t count, capacity;
} DumpPlaces;

#endif
