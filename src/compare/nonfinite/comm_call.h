// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_NONFINITE_COMM_CALL_H
#define VERNIER_COMPARE_NONFINITE_COMM_CALL_H

#include "base/array.h"
#include "compare/nonfinite/nonfinite.h"

// Communication as a dump records it: which ops are collectives or point-to-point transfers, with
// whom, what a rank gave and what it got. Buffers that are only written are distinguished from
// contributions.

typedef enum CommRole {
    COMM_GIVES_AND_GETS,  // all_reduce, all_gather, …
    COMM_GIVES,           // send, the root of a broadcast, all but the root of a reduce
    COMM_GETS,            // recv, …
    COMM_ROLE_COUNT
} CommRole;

// One transfer of one rank; a batch_isend_irecv gives several.
typedef struct CommCall {
    uint32_t op;   // index in Dump.ops
    Str name;      // of the op without its direction: "Distributed.all_reduce.5"
    Str channel;   // equal for all calls that can belong together: api and group, or both ranks
    Str ranks;     // members as written, "[0, 1]"; empty: not recorded
    int64_t peer;  // point to point: the other rank, else -1
    uint8_t role;  // CommRole
    bool late;     // what arrived may have been recorded before it came, or not at all
    Nonfinite gave, got;
    uint32_t gave_slot, got_slot;  // the first such slot, in Dump.slots
} CommCall;

typedef struct CommCalls {
    CommCall *items;
    size_t count, capacity;
} CommCalls;

// Whether the op talks to other ranks (forward entries of Distributed, MintDistributed, and the
// communication primitives of MindSpore).
bool comm_is_call(Str op_name);

// Appends the transfers of op number `op` on `rank`, at least one. Texts live in `arena` or in the
// dump's names.
void comm_calls_add(const Dump *dump, uint32_t op, int64_t rank, Arena *arena, CommCalls *out);

// Whether an input of the call (slot number in Dump.slots) is only a place for what the call
// brings, so that what it held before does not matter. False where the dump does not tell.
bool comm_overwrites(const Dump *dump, uint32_t op, int64_t rank, uint32_t slot);

// The members of "[0, 1, 5]" in its order. False if the text has another form.
typedef struct RankList {
    int64_t *items;
    size_t count, capacity;
} RankList;
bool comm_ranks_parse(Str ranks, Arena *arena, RankList *out);

#endif
