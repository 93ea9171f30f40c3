// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PEER_ROWS_H
#define VERNIER_COMPARE_PEER_ROWS_H

#include "compare/compare.h"

// The rows that the peer's report has for two dumps, each a slot of the target with its partner
// (spec/compare.md §2). Rows that only golden has are not among them.

typedef enum PeerGeneration { PEER_26, PEER_8 } PeerGeneration;

typedef struct PeerRow {
    uint32_t op, golden_op;   // index in Dump.ops; golden_op OP_NONE without a partner
    uint32_t target, golden;  // index in Dump.slots; golden SLOT_NONE without a partner
    uint32_t hits;            // PEER_26: a bit for each PeerRule; PEER_8: for each PeerNote
    uint8_t status;           // PEER_26: pass, warning or error
    uint8_t colour;           // PEER_8: PeerColour
    bool output;              // its name holds ".output.": judged as an output
    bool first;               // of its op: carries the call stack
} PeerRow;

typedef struct PeerRows {
    const Dump *golden, *target;
    PeerGeneration generation;
    const NameId *to_target;  // by golden NameId: the same text among the target's, or NAME_NONE
    PeerRow *items;           // in the order of the target; rows of one op follow each other
    size_t count, capacity;
} PeerRows;

// Generation 26 joins by name with backward calls counted anew on each side, drops ops whose name
// has no direction, and lets shapes differ; generation 8 joins by name and shape. In both a pair of
// incompatible dtypes is no pair, and names that stand several times give every combination.
// Linear in the slots and the rows.
void peer_rows_build(const Dump *golden, const Dump *target, PeerGeneration generation,
                     Arena *arena, PeerRows *out);

// The name shown for a slot: op and path, or the tensor file without its extension. Written to
// `buffer`, which is emptied first.
Str peer_row_name(const Dump *dump, const Op *op, const Slot *slot, StrBuf *buffer);

// Slots of an op in the peer's order: inputs, keywords, parameters, outputs, gradients. `order` has
// room for op->slot_count indices into dump->slots.
void peer_slot_order(const Dump *dump, const Op *op, uint32_t *order);

// By op of the dump: the name that its rows begin with, empty for ops that are not compared.
// Generation 26 counts backward calls anew.
const Str *peer_op_keys(const Dump *dump, PeerGeneration generation, Arena *arena);

// Whether rows of two different dtypes may meet (spec/compare.md §2.4).
bool peer_dtypes_meet(Str golden, Str target, bool cross_framework);

// The texts of two names are equal; `to_target` translates golden's.
bool peer_same_name(const NameId *to_target, NameId golden, NameId target);

#endif
