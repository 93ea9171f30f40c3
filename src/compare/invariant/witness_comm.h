// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_COMM_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_COMM_H

#include "compare/invariant/witness.h"

// Adds the communications of one op, with the tensors that the rank gave and got.
void witness_comm(const Dump *dump, uint32_t op, int64_t rank, bool before_backward,
                  RankWitness *out);

// Takes an in-place call for the first use of what an all_reduce brought, if it is one.
void witness_comm_use(const Dump *dump, uint32_t op, RankWitness *out);

// A call after the backward that adds up one float tensor over ranks, whose ends are recorded.
bool comm_is_reduction(const CommSeen *comm);

// Which gradient went into which reduction, for weights of which one gradient came.
void witness_comm_gradients(RankWitness *out);

#endif
