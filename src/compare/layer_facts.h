// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_LAYER_FACTS_H
#define VERNIER_COMPARE_LAYER_FACTS_H

#include "compare/judge/comparison.h"

// What is kept of a comparison by layer when its graphs are gone.

// A layer is what stands below a module whose path has a number ("blocks.3": all that is called
// blocks.3.…); modules outside any are layers of their own, and ops outside any module go by their
// stem ("Functional.linear").
typedef struct LayerFact {
    Str name;
    Status status;  // worst of its ops
    bool starts;    // an op that differs has no input that does: the difference begins here
    // Worst relative error of the norm over outputs, by direction, and over weights and their
    // gradients. 0: equal; NaN: no norm was compared.
    double forward, backward, parameters;
    uint32_t position;  // of its first op in execution order, from 1
    uint32_t leaves;    // of its first op that is not equal to the bit, 0: none
    Str op;             // the first op at which a difference begins, or empty
} LayerFact;

typedef struct LayerFacts {
    LayerFact *items;  // by position
    size_t count, capacity;
} LayerFacts;

// The layer of what has this path, "blocks.3" of "blocks.3.attn.qkv": up to the first part that is
// a number and does not stand alone. A path without one is a layer of its own.
Str layer_of_path(Str path);

// Texts are copied into `arena`. Linear in the rows of the tree, its ops and their slots.
void layers_collect(const Comparison *comparison, Arena *arena, LayerFacts *out);

#endif
