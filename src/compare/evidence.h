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

#endif
