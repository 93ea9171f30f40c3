// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_MSPROBE_MSPROBE_ROWS_H
#define VERNIER_COMPARE_MSPROBE_MSPROBE_ROWS_H

#include "compare/judge/comparison.h"

// The rows that msProbe's report has for two dumps, each a slot of the target with its partner
// (docs/spec/compare.md §2). Rows that only golden has are not among them.

typedef enum MsprobeGeneration { MSPROBE_26, MSPROBE_8 } MsprobeGeneration;

typedef struct MsprobeRow {
    uint32_t op, golden_op;   // index in Dump.ops; golden_op OP_NONE without a partner
    uint32_t target, golden;  // index in Dump.slots; golden SLOT_NONE without a partner
    uint32_t hits;   // MSPROBE_26: a bit for each MsprobeRule; MSPROBE_8: for each MsprobeNote
    uint8_t status;  // MSPROBE_26: pass, warning or error
    uint8_t colour;  // MSPROBE_8: MsprobeColour
    bool output;     // its name holds ".output.": judged as an output
    bool first;      // of its op: carries the call stack
} MsprobeRow;

typedef struct MsprobeRows {
    const Dump *golden, *target;
    MsprobeGeneration generation;
    const NameId *to_target;  // by golden NameId: the same text among the target's, or NAME_NONE
    MsprobeRow *items;        // in the order of the target; rows of one op follow each other
    size_t count, capacity;
} MsprobeRows;

// Generation 26 joins by name with backward calls counted anew on each side, drops ops whose name
// has no direction, and lets shapes differ; generation 8 joins by name and shape. In both a pair of
// incompatible dtypes is no pair, and names that stand several times give every combination.
// Linear in the slots and the rows.
void msprobe_rows_build(const Dump *golden, const Dump *target, MsprobeGeneration generation,
                        Arena *arena, MsprobeRows *out);

// Slots of an op in msProbe's order: inputs, keywords, parameters, outputs, gradients. `order` has
// room for op->slot_count indices into dump->slots.
void msprobe_slot_order(const Dump *dump, const Op *op, uint32_t *order);

// By op of the dump: the name that its rows begin with, empty for ops that are not compared.
// Generation 26 counts backward calls anew.
const Str *msprobe_op_keys(const Dump *dump, MsprobeGeneration generation, Arena *arena);

// Whether rows of two different dtypes may meet (docs/spec/compare.md §2.4).
bool msprobe_dtypes_meet(Str golden, Str target, bool cross_framework);

// The texts of two names are equal; `to_target` translates golden's.
bool msprobe_same_name(const NameId *to_target, NameId golden, NameId target);

#endif
