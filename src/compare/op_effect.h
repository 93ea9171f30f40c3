// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_OP_EFFECT_H
#define VERNIER_COMPARE_OP_EFFECT_H

#include "compare/judge/comparison.h"

// What an op that one side does not have does to the values of the side that makes it, by their
// flow: a value is known again by its statistics or its checksum.
typedef enum OpEffect {
    EFFECT_COMPUTES,  // its outputs is taken, or may be by what no dump tells
    EFFECT_NONE,      // it gives what it took, or what was there before it
    EFFECT_UNUSED,    // nothing takes its outputs, and it writes nothing in place
    EFFECT_WRITES,    // it changes what it took in place, or hands it to other ranks
    EFFECT_FEEDS      // its results go to ops that write, and to no other
} OpEffect;

// By op pair; of those that have a partner, or that a setting explains already, EFFECT_COMPUTES.
// Linear in ops and slots.
uint8_t *op_effects_find(const Comparison *comparison, Arena *arena);

// Whether an op changes what it takes in place, or hands it to other ranks.
bool op_writes(const Dump *dump, const Op *op);

#endif
