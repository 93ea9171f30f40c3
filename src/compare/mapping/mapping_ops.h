// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MAPPING_MAPPING_OPS_H
#define VERNIER_COMPARE_MAPPING_MAPPING_OPS_H

#include "model/graph/graph.h"
#include "read/settings/mapping_file.h"

// Pairs of ops under a layer mapping as msProbe finds them (docs/spec/compare.md §2.7,
// docs/spec/graph.md §3.4): each op has a scope, the renamed path of its module and, for an API,
// its name; backward ops have that of their forward call. The n-th op of a scope and direction
// pairs with golden's n-th.

// By target op: its partner in golden or OP_NONE. Linear in the ops.
uint32_t *mapping_layer_ops(const LayerMapping *mapping, const Graph *golden, const Graph *target,
                            Arena *arena);

#endif
