// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_SLOT_SOURCE_H
#define VERNIER_COMPARE_JUDGE_SLOT_SOURCE_H

#include "read/dump/dump.h"

// Which slots of a dump nothing has computed: arguments, weights, indices and other integers that
// came in from outside. Two runs of one set-up have them equal to the bit, so their noise is zero.

typedef enum SourceKind {
    SOURCE_COMPUTED,   // may carry noise
    SOURCE_ARGUMENT,   // a scalar or another configuration argument
    SOURCE_PARAMETER,  // a weight
    SOURCE_INDEX       // an integer or bool tensor that no earlier op gave
} SourceKind;

// One SourceKind for each slot of the dump, in `arena`. A weight is a slot of group parameters, an
// API input with the statistics of such a slot, or stands where the API takes its weights
// (linear 1 and 2, layer_norm 2 and 3, …). Linear in the slots.
uint8_t *source_find(const Dump *dump, Arena *arena);

#endif
