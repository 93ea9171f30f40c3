// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_LOOK_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_LOOK_H

#include "compare/invariant/witness.h"

// How the invariants that one dump decides look at it: for witness_local.c and witness_calls.c.

typedef struct Looking {
    const Dump *dump;
    RankWitness *out;
    Arena *scratch;
    ExpectSearch expects;
} Looking;

// Texts are copied.
void look_break(Looking *of, LocalLaw law, Str op, Str text);

Str look_name(const Looking *of, const Op *op);                            // borrowed of the dump
const Slot *look_slot(const Looking *of, const Op *op, const char *path);  // NULL: there is none
// False if there is none of that path, or it is no tensor.
bool look_tensor(const Looking *of, const Op *op, const char *path, TensorSeen *out);

// The name of the forward call of a backward one; NAME_NONE: no call has it.
NameId look_forward(const Dump *dump, const Op *backward, Arena *scratch);

#endif
