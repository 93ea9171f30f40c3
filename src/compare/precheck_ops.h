// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_PRECHECK_OPS_H
#define VERNIER_COMPARE_PRECHECK_OPS_H

#include "compare/judge/comparison.h"
#include "read/precheck/precheck.h"

// What a pre-check says, by the names that ops have in dumps.

typedef struct PrecheckOp {
    Str name;  // "Functional.linear.8.forward"
    PrecheckStatus status;
    Str reason;  // as precheck_reason
    Str text;    // "error: cosine similarity 0.71"
} PrecheckOp;

// Whether the API is set to fail in isolation.
bool precheck_fails(const PrecheckOp *of);

Status precheck_status(PrecheckStatus status);

// "Functional.linear.8.forward"
Str precheck_name(const PrecheckFinding *of, Arena *arena);

// "cosine similarity 0.71", the message where no figure is known, or empty.
Str precheck_reason(const PrecheckFinding *of, Arena *arena);

// The worst that the pre-check, which is sorted, says of each op: names with a PrecheckOp as note
// (Comparison.precheck).
const Names *precheck_ops(const Precheck *of, Arena *arena);

// NULL: no pre-check is there, or none says anything of the target's op.
const PrecheckOp *precheck_of_op(const Comparison *comparison, const OpPair *op);

#endif
