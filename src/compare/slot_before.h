// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_SLOT_BEFORE_H
#define VERNIER_COMPARE_SLOT_BEFORE_H

#include "model/graph/graph.h"

// Finds in the graph of another step what this step holds.

// The graph, and where its slots are.
typedef struct SlotsBefore {
    const Graph *graph;
    Arena *arena;
    Names *places;  // of the slots of ops that were looked into
    StrBuf key;
    uint32_t *first;  // by place less 1: the first slot there
    size_t first_count, first_capacity;
    bool *listed;  // by op: looked into
} SlotsBefore;

SlotsBefore slots_before(const Graph *graph, Arena *arena);

const Op *slot_before_op(const Graph *before, Str name);  // NULL: it has no such op

// The slot of that path in that shape; NULL if there is none. `op` may be NULL.
const Slot *slot_before_find(SlotsBefore *before, const Op *op, Str path, Str shape);

#endif
