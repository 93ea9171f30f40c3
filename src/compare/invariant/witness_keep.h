// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_KEEP_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_KEEP_H

#include "compare/invariant/witness.h"

// What stays of a witness while other ranks are read. Ranks of one model have most texts in common
// and call the same modules in the same order: these are kept once for all of them.

typedef struct WitnessPool WitnessPool;

// Holds memory of its own until it is released, which ends all witnesses that were kept in it.
WitnessPool *witness_pool_new(void);
void witness_pool_release(WitnessPool *pool);  // NULL is allowed

// Moves the witness, arrays cut to what is in them, into `arena` and the pool, so that the arena it
// was taken in can be released; out->arena is `arena` from now on. Several threads may keep
// witnesses in one pool. Nothing but addresses depends on their order. Linear in the witness.
void witness_keep(WitnessPool *pool, Arena *arena, RankWitness *out);

#endif
