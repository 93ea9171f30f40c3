// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_LOOK_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_LOOK_H

#include "compare/flow.h"
#include "compare/invariant/witness.h"
#include "compare/nonfinite/trail.h"
#include "model/ops/op_traits.h"
#include "read/dump/op_name.h"

// One dump, and what is asked of it again and again, found once: the parts of names, what its ops
// are, who gave which value. Texts that are read of it are borrowed; witness_keep copies them.

typedef struct Looking {
    const Dump *dump;
    const Flow *flow;
    RankWitness *out;
    Arena *scratch;
    const OpName *names;       // by op
    const unsigned *traits;    // by op: OpTrait of its API or class
    const uint32_t *forward;   // by op: of a backward call its forward call; OP_NONE: none
    const uint64_t *elements;  // by NameId of a shape
    Trail trail;               // of NaN and Inf, and the communications
    size_t call_at;            // of trail.calls: the next one
    uint32_t *comms;  // by op: the communication in out->comms that it is the only one of, + 1
    ExpectSearch expects;
} Looking;

void look_begin(const Dump *dump, RankWitness *out, Arena *scratch, Looking *of);

// `op`: of the dump or of `scratch`. The text is made of the first ones alone.
void look_break(Looking *of, LocalLaw law, Str op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline uint32_t look_index(const Looking *of, const Op *op)
{
    return (uint32_t)(op - of->dump->ops);
}

Str look_name(const Looking *of, const Op *op);
const Slot *look_slot(const Looking *of, const Op *op, const char *path);  // NULL: there is none
void look_read(const Looking *of, const Slot *slot, TensorSeen *out);
// False if there is none of that path, or it is no tensor.
bool look_tensor(const Looking *of, const Op *op, const char *path, TensorSeen *out);
// The first tensor of the group, by place; false: there is none.
bool look_first(const Looking *of, const Op *op, SlotGroup group, TensorSeen *out);
bool look_needs_gradient(const Looking *of, const Op *op);  // an output of it does
// An argument by its keyword or its place; NULL: there is none, or it is a tensor.
const Slot *look_argument(const Looking *of, const Op *op, const char *keyword, const char *place);
// The size of dimension `dim` of "[2, 4, 16]", from the end where it is below 0; 0: there is none.
int64_t look_dimension(Str shape, int64_t dim);
Str look_value(const Looking *of, const Slot *slot);    // of an argument; empty: not told
bool look_has_any(Str text, const char *const *parts);  // up to NULL
// The forward call of a backward one; NULL: no call is.
const Op *look_forward(const Looking *of, const Op *backward);
// Whether the op runs the model forward: optimizers and clipping call no modules and no functions
// of torch.nn.
bool look_begins_forward(const Looking *of, const Op *op);
// The op after the last forward and backward call: then gradients are scaled and weights updated.
uint32_t look_passes_end(const Looking *of);

// Whether Mean and Norm are known, finite and those of one tensor.
bool sums_told(const TensorSeen *seen);
// The sum of the elements, and by how much rounding may part it from another way to add them up.
double sum_of(const TensorSeen *seen);
double sum_slack(const TensorSeen *seen);

// ---- the invariants that one dump decides. Each is linear in the slots.

// NaN and Inf, saturated and constant results, softmax, and all that is below.
void witness_local(Looking *of);
// Recomputed calls against the first ones.
void witness_again(Looking *of);
// Single calls: dropout, the targets of a loss, gradients of biases, the clipping of gradients.
void witness_calls(Looking *of);
// Functions of one variable by Max and Min: results, gradients, the format they compute in.
void witness_curves(Looking *of);
// What must add up by Mean and Norm: gradients of single calls.
void witness_sums(Looking *of);
// Siblings: positions, causal rows and dtypes of layers, weights of micro batches.
void witness_layers(Looking *of);
// --expect compute, batch and length: out->expects, counted in its tally.
void witness_expect(Looking *of);

// ---- weights and their gradients

// Modules name theirs; a weight that goes into a call of an API is what no op gave, at the place of
// a weight, and has the name of its place among such calls.
typedef struct Weighing Weighing;

// Norms of queries and keys may see the heads of their rank alone.
bool witness_head_norm(const OpName *name);

Weighing *weighing_new(Looking *of);
void weighing_forward(Weighing *of, const Op *op);
void weighing_gradients(Weighing *of, const Op *op);
void weighing_backward(Weighing *of, const Op *op);
void weighing_end(Weighing *of);  // after the last op: out->parameters, by name

// Weights that have one gradient of their own, by what it tells: one that is transposed is added up
// in another order, its ends alone stay as they are.
typedef struct GradientIndex {
    Names *keys;
    uint32_t *first;  // by key: a weight, from 1
    size_t known;
    uint32_t *next;  // by weight: another one with equal ends, from 1; 0: none
} GradientIndex;

bool gradient_is_one(const ParameterSeen *it);
GradientIndex gradients_index(const RankWitness *witness, Arena *arena);
uint32_t gradients_find(const GradientIndex *of, const TensorSeen *seen);  // 0: none has it

// ---- communications

// Adds those of one op, with the tensors that the rank gave and got; op by op.
void witness_comm(Looking *of, const Op *op, bool before_backward);
// Takes an in-place call for the first use of what an all_reduce brought, if it is one.
void witness_comm_use(Looking *of, const Op *op);
// Which gradient went into which reduction, for weights of which one gradient came.
void witness_comm_gradients(RankWitness *out);

#endif
