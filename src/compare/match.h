// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MATCH_H
#define VERNIER_COMPARE_MATCH_H

#include "base/arena.h"
#include "model/graph.h"
#include "read/dump.h"

// Pairs the ops of two dumps, the slots of two ops, the nodes of two graphs.

typedef struct OpMatch {
    uint32_t *golden_of;  // by target op: its partner or OP_NONE
    uint32_t *target_of;  // by golden op
    size_t pair_count;
    NameId *golden_name;  // by target NameId: the same text among golden's names, or NAME_NONE
} OpMatch;

// Ops pair up by name; weight gradients by module and by their order within the step, never by
// their number (spec/dump-format.md §3.2). One to one. Linear in the ops.
void match_ops(const Dump *golden, const Dump *target, Arena *arena, OpMatch *out);

// The slot of golden's op that stands at the same place as `target_slot` of its partner, or
// UINT32_MAX. `hint` is the place of the target slot within its op: looked at first.
uint32_t match_slot(const Dump *golden, const Op *golden_op, const OpMatch *match,
                    const Slot *target_slot, uint32_t hint);

typedef struct NodeMatch {
    NodeId *golden_of;  // by target node
    NodeId *target_of;  // by golden node
} NodeMatch;

// Nodes pair up as their ops do; modules without data and groups by id. One to one; the roots match.
void match_nodes(const Graph *golden, const Graph *target, const OpMatch *ops, Arena *arena,
                 NodeMatch *out);

#endif
