// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_FLOW_H
#define VERNIER_COMPARE_FLOW_H

#include "base/arena.h"
#include "compare/judge/floor.h"
#include "model/graph/graph.h"

// Who computed which value of a dump, read once. Two slots hold the same value where their four
// statistics are equal or, of a dump without any, their checksums: a view or a transposed tensor is
// the same value. A slot without either holds none.

typedef enum SourceKind {
    SOURCE_COMPUTED,   // may carry noise
    SOURCE_ARGUMENT,   // a scalar or another configuration argument
    SOURCE_PARAMETER,  // a weight
    SOURCE_INDEX       // an integer or bool tensor that no earlier op gave
} SourceKind;

// Precision of a value that was computed from some of unknown origin.
#define UPSTREAM_UNKNOWN UINT8_MAX

// By slot of the dump; all fields are set by flow_find.
typedef struct Flow {
    const Dump *dump;
    uint32_t *same;      // the first slot that holds its value; SLOT_NONE: no value is recorded
    uint32_t *before;    // the slot before it that does, or SLOT_NONE
    uint32_t *producer;  // the last result before its op that does, or SLOT_NONE
    uint8_t *source;     // SourceKind. A weight is a slot of group parameters, an API input with
                         // the value of such a slot, or stands where the API takes its weights
    // The coarsest type upstream, the slot's own included: that of an input that no op gave is its
    // own where it comes from outside (a weight, an index, what has no axis of the batch), else
    // UPSTREAM_UNKNOWN; of gradients it is unknown.
    uint8_t *upstream;
    const uint8_t *precisions;  // by NameId: Precision of the dtypes of tensors
    unsigned *traits;           // by op: OpTrait of a forward call of an API; of others 0
} Flow;

#define SLOT_NONE UINT32_MAX

// In `arena`; linear in the slots.
const Flow *flow_find(const Dump *dump, Arena *arena);

// Whether two slots of one dump hold the same value.
static inline bool flow_same(const Flow *flow, uint32_t a, uint32_t b)
{
    return flow->same[a] == flow->same[b] && flow->same[a] != SLOT_NONE;
}

// The same of two slots of which no Flow was made.
bool flow_equal(const Slot *a, const Slot *b);

// The op that computed the slot's value; OP_NONE: none before it, or the value is zero, which many
// ops give.
uint32_t flow_producer_op(const Flow *flow, uint32_t slot);

static inline Precision flow_precision(const Flow *flow, const Slot *slot)
{
    return slot->dtype == NAME_NONE ? precision_of_slot(flow->dump->names, slot)
                                    : (Precision)flow->precisions[slot->dtype];
}

// Whether both ends of a float32 tensor are numbers of a 16-bit type.
bool flow_ends_are_half(const Slot *slot);

#endif
