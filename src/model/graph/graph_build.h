// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_GRAPH_GRAPH_BUILD_H
#define VERNIER_MODEL_GRAPH_GRAPH_BUILD_H

#include "model/graph/graph.h"
#include "model/graph/graph_build.h"

// From the records of a dump to its hierarchy.

// The nodes live in `arena`; names of groups are added to dump->names. Linear in the entries.
void graph_build(const Dump *dump, const Construct *construct, Stacks *stacks, GraphRules rules,
                 Arena *arena, Graph *out, Notices *notices);

#endif
