// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_TAKE_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_TAKE_H

#include "compare/invariant/witness.h"
#include "model/graph/graph.h"

// Fills in all but step, rank and read. `graph`: NULL where all values are finite. Texts live in
// `arena`. Linear in the slots but for sorting.
void witness_take(const Dump *dump, const Graph *graph, int64_t rank, Arena *arena,
                  RankWitness *out);

#endif
