// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_PARAM_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_PARAM_H

#include "compare/invariant/witness.h"
#include "read/dump/op_name.h"

// Weights and their gradients. Modules name theirs; a weight that goes into a call of an API is
// what no op gave, at the place of a weight, and has the name of its place among such calls.

typedef struct Weighing Weighing;

Weighing *weighing_new(const Dump *dump, RankWitness *out, Arena *scratch);

void weighing_module(Weighing *of, const Op *op, const OpName *name);
void weighing_gradients(Weighing *of, const Op *op, const OpName *name);
void weighing_backward(Weighing *of, uint32_t op, const OpName *name);
// A forward call of an API; `given[slot - first_slot]`: an earlier call gave what the slot holds.
void weighing_call(Weighing *of, uint32_t op, const OpName *name, const bool *given);

// After the last op: out->parameters, by name.
void weighing_end(Weighing *of);

// NULL if there is none of this name.
const ParameterSeen *witness_parameter(const RankWitness *witness, Str name);
// That of another dump; NULL: there is none, or its place among the calls is not known to be that.
const ParameterSeen *witness_partner(const RankWitness *witness, const ParameterSeen *it);

// What evidence calls it.
static inline Str parameter_label(const ParameterSeen *it)
{
    return it->label.size ? it->label : it->name;
}

// Expert parallelism gives the experts of one name to other ranks, another expert on each, with
// tokens of its own.
bool witness_is_expert(Str name);
// What each rank has for itself whatever it shares with others: experts, statistics that a norm
// keeps of its inputs, and the parts of a sharded model.
bool parameter_is_local(const ParameterSeen *it);

// Norms of queries and keys may see the heads of their rank alone.
bool witness_head_norm(const OpName *name);

#endif
