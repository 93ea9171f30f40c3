// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_SLOT_BEFORE_H
#define VERNIER_COMPARE_SLOT_BEFORE_H

#include "model/graph/graph.h"

// Finds in the graph of another step what this step holds.

const Op *slot_before_op(const Graph *before, Str name);  // NULL: it has no such op

// The slot of that path in that shape; NULL if there is none. `op` may be NULL.
const Slot *slot_before_find(const Graph *before, const Op *op, Str path, Str shape);

#endif
