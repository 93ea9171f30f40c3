// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_LOCAL_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_LOCAL_H

#include "compare/invariant/witness.h"
#include "model/graph/graph.h"

// What one dump alone decides: values that are no numbers, saturated, constant, no softmax, and
// recomputed calls that do not repeat the first ones. `graph`: NULL where all values are finite.
// Linear in the slots.
void witness_local(const Dump *dump, const Graph *graph, RankWitness *out);

// One tensor of a checkpoint or monitor; `nan`: it holds some, whatever its statistics are. The
// name has to live with the witness.
void witness_finite(RankWitness *out, Str name, const TensorSeen *seen, bool nan);

#endif
