// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WITNESS_H
#define VERNIER_COMPARE_INVARIANT_WITNESS_H

#include "compare/invariant/expect.h"
#include "compare/invariant/tensor_seen.h"
#include "compare/nonfinite/comm_call.h"
#include "read/dump/read_fact.h"

// What one dump (a rank in a step) tells that the invariants of `vernier check` need, so that the
// dump can be let go.

// A tensor of an optimizer, in a checkpoint.
typedef enum StateKind {
    STATE_NONE,    // it is a weight
    STATE_MOMENT,  // first moments, momenta
    STATE_SQUARE,  // second moments
    STATE_MASTER   // weights in full precision
} StateKind;

// The gradient of the bias of a Linear module against what arrived there.
typedef struct BiasSeen {
    bool told;
    double found, due;  // its sum, and that of what arrived, of the first backward
    double left;        // its sum after the last one
    double slack;       // by which rounding parts them
} BiasSeen;

typedef struct ParameterSeen {
    Str name;         // "blocks.0.ln_1.weight"; of a call "Functional.linear input.1 [4, 8] 2"
    Str class_name;   // of its module, "LayerNorm", or of its API, "layer_norm"
    Str op;           // the first forward call that shows it, or the entry of its gradient
    Str label;        // of a call: "Functional.linear.1.forward input.1"; else empty
    uint32_t places;  // of a call: how many weights have its API, slot and shape; of modules 0
    bool seen;        // a forward call shows its value
    TensorSeen value;
    uint8_t requires_grad;  // Tristate
    bool of_heads;          // of a norm of queries or keys that takes all heads of a rank as one
    bool flows;             // an output of that call requires a gradient
    bool backward;          // its module has a backward call
    bool part;              // of what calls work on, as a sharded model leaves it
    bool shared;         // others have it, or more calls that train: it has no gradient of its own
    bool pushed;         // a call with it got what is not 0, and a gradient that is not arrived
    bool gradient_told;  // there is an entry for its gradient
    bool gradient_came;
    bool gradient_zero;       // every gradient that came is all zeros
    bool gradient_nonzero;    // one of them is known not to be; neither: not told
    uint32_t gradient_parts;  // how many came
    uint32_t reduction;       // the call in comms that was given its one gradient, from 1; 0: none
    TensorSeen gradient;      // the last one that came
    bool reduced;             // over the copies, as a monitor tells
    bool unreduced_told;      // the Mean of the same gradient before it, finite,
    double unreduced_mean;    // and half a step of its last digit
    double unreduced_blur;
    StateKind state;
    BiasSeen bias;
} ParameterSeen;

typedef enum CommReduce { REDUCE_SUM, REDUCE_AVG, REDUCE_MAX, REDUCE_MIN, REDUCE_OTHER } CommReduce;

typedef struct CommSeen {
    CommCall call;         // its texts live with the witness
    Str api;               // lower case, without underscores: "allreduce"
    CommReduce reduce;     // of allreduce and reducescatter
    bool before_backward;  // no backward call ran before it
    bool of_gradient;      // it was given the gradient of a weight
    bool usual;  // its first argument is positional: the results are where they usually are
    TensorSeen *gave, *got;
    uint32_t gave_count, got_count;
    Str used_by;      // the first in-place call on what an all_reduce brought: "div_"
    TensorSeen used;  // and what that gave
} CommSeen;

// An input of a forward call that no earlier call gave, no weight: tokens, labels, images, masks.
typedef struct DataSeen {
    Str op, stem, slot;
    uint32_t number;  // of a call that trains: how many such calls of its name came before, from 1
    TensorSeen value;
    bool module;  // the call is a module's
    bool tokens;  // of an embedding or a loss
} DataSeen;

// Invariants that one dump alone decides.
typedef enum LocalLaw {
    LOCAL_FINITE,
    LOCAL_SATURATION,
    LOCAL_CONSTANT,
    LOCAL_SOFTMAX,
    LOCAL_ELEMENTWISE,
    LOCAL_SLOPE,
    LOCAL_ROUNDED,
    LOCAL_SUMS,
    LOCAL_LAYERS,
    LOCAL_CAUSAL,
    LOCAL_LAYER_DTYPES,
    LOCAL_ROUTING,
    LOCAL_MICRO,
    LOCAL_RECOMPUTE,
    LOCAL_DROPOUT,
    LOCAL_LABELS,
    LOCAL_CLIPPING,
    LOCAL_COMPUTE,
    LOCAL_BATCH,
    LOCAL_LENGTH,
    LOCAL_GENERATED,
    LOCAL_VOCABULARY,  // of arrays of tokens (witness_tokens.c)
    LOCAL_SHIFT,
    LOCAL_MASK,
    LOCAL_POSITIONS,
    LOCAL_COUNT
} LocalLaw;

enum { LOCAL_KEPT = 4 };

typedef struct LocalBreak {
    Str op, text;
} LocalBreak;

typedef struct LocalSeen {
    uint64_t checked, broken;
    LocalBreak first[LOCAL_KEPT];
} LocalSeen;

// A norm, a softmax or a loss: the dtype of its outputs, and what goes in.
typedef struct DtypeSeen {
    Str op, dtype;
    TensorSeen *norm;  // what goes into a module that norms the whole hidden size; or NULL
} DtypeSeen;

typedef struct RankWitness {
    int64_t step, rank;
    ReadFact read;
    ToldRounding rounding;  // of the statistics of a dump
    bool failed;            // the dump could not be read
    bool silent;            // a dump of ops without any statistic or checksum
    uint64_t unsure;        // ops of which nobody can tell whether they overflowed; see Trail
    Arena *arena;
    ParameterSeen *parameters;  // by name
    size_t parameter_count, parameter_capacity;
    ParameterSeen *states;  // by name
    size_t state_count, state_capacity;
    CommSeen *comms;  // in the order of the dump
    size_t comm_count, comm_capacity;
    DataSeen *data;
    size_t data_count, data_capacity;
    DtypeSeen *dtypes;  // in the order of the dump
    size_t dtype_count, dtype_capacity;
    Str *modules;  // forward calls of modules, in the order of the dump
    size_t module_count, module_capacity;
    LocalSeen local[LOCAL_COUNT];
    const Expects *expects;  // what the user meant, given before the dump is read; NULL: nothing
    ExpectTally *tally;      // by expectation, of those that one dump decides; or NULL
    // Over what the forward calls before the first backward and the first communication gave.
    uint64_t forward_hash;
    uint32_t forward_values;
    bool has_tokens;      // arrays of tokens: witness_tokens.c
    uint64_t batch_hash;  // of them; 0: not told
    bool has_calls;       // of an API, communications aside
    bool has_backward, has_parameters, has_gradients;
    bool trains;               // a forward call gave what requires a gradient
    bool weighs_ratio;         // its loss weighs by the ratio to an earlier policy
    TensorSeen begins, gives;  // of its first micro batch, what goes in first and comes out last
    bool adds_grads;           // a gradient is recorded with what was there before its backward
    bool scaled;               // it has float16, or ops of the scaler of a loss
    bool arrived;              // its first NaN or Inf came from another rank
    bool overflowed;           // NaN and Inf are born in or after its backward alone
    bool blind;                // a call that trains has a tensor without any value
    bool begins_told, begins_with_data;  // the first tensor of the first forward call is data
    bool sparse;                         // of a checkpoint: the next step is the next that is there
    bool has_share;                      // names of files tell which ranks share weights
    int64_t share_of;                    // then equal for those that do
} RankWitness;

// By name. NULL if there is none.
const ParameterSeen *parameter_find(const ParameterSeen *items, size_t count, Str name);
void parameters_sort(ParameterSeen *items, size_t count);
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
// Statistics that a norm keeps of its inputs: the forward pass moves them, on each rank by its own
// data, and no rate bounds them.
bool weight_is_statistic(Str name);
// What each rank has for itself whatever it shares with others: experts, statistics that a norm
// keeps of its inputs, and the parts of a sharded model.
bool parameter_is_local(const ParameterSeen *it);

// Names that differ in their numbers alone, as those of layers, have one text without them.
Str witness_without_digits(Str name, Arena *arena);

// A call after the backward that adds up one float tensor over ranks, whose ends are recorded.
bool comm_is_reduction(const CommSeen *comm);

// One tensor of a checkpoint or monitor; `nan`: it holds some, whatever its statistics are. The
// name has to live with the witness.
void witness_finite(RankWitness *out, Str name, const TensorSeen *seen, bool nan);

#endif
