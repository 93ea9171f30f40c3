// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_EVIDENCE_H
#define VERNIER_COMPARE_EVIDENCE_H

#include "compare/judge/comparison.h"

// What two dumps tell of the inputs of an op, and who gave them: a sentence says no more.

typedef struct InputEvidence {
    bool any;         // it has tensors among its inputs or weights
    uint32_t unsure;  // the first of them, in Comparison.slots, of which the dumps tell too little
                      // to say that it agrees; or SLOT_NONE
} InputEvidence;

// Of integers a dump tells the largest and the smallest alone, of a tensor with NaN nothing; of
// checksums and of tensors in files everything.
InputEvidence input_evidence(const Comparison *comparison, const OpPair *op);

// Whether both dumps tell enough of a tensor that one whose statistics are equal is called equal.
bool evidence_tells_all(const Comparison *comparison, const SlotPair *pair);

// What the tensors of the pairs that are the same were compared by: of all of them checksums or
// elements, or of some no more than statistics.
typedef enum SameBy { SAME_BY_BITS, SAME_BY_STATISTICS, SAME_BY_STRUCTURE } SameBy;
SameBy evidence_same_by(const Comparison *comparison);

// Whether the target repeats golden to the bit, gradients too, as far as both tell: a platform
// or an order of sums of its own would show in so many, so whatever follows repeats as well.
bool evidence_repeats(const Comparison *comparison);

// Whether two slots of one dump hold the same tensor, as far as it tells.
bool evidence_holds_same(const Slot *a, const Slot *b);

// Whether an output of the op (of one dump) holds the tensor in the slot, as far as that dump
// tells.
bool op_gives(const Dump *dump, uint32_t op, uint32_t slot);

// The last op before `before` that gave the tensor in the slot; OP_NONE if none did.
uint32_t value_giver(const Dump *dump, uint32_t before, uint32_t slot);

#endif
