// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_OP_JUDGE_H
#define VERNIER_COMPARE_OP_JUDGE_H

#include "compare/judge/judge.h"
#include "read/settings/criteria_pick.h"

// The slots of one op at a time, judged by what is known of the op and of both runs. One thread
// works with one OpJudge; a copy of it is another's.

typedef struct OpJudge {
    Comparison *out;
    JudgeContext context;
    const uint8_t *sources;         // the SourceKind of every slot of golden
    const CriteriaIndex *criteria;  // of the user's tolerances, or NULL
    CriteriaPick picked;            // those of the op at work
    bool parted;  // a step before this one updated the weights of both; not all are equal
} OpJudge;

// What the op is called, and which of the user's rules are about it.
void op_judge_name(OpJudge *judge, const OpPair *op, Arena *arena);

// Gives a pair of slots its status; both sides have it.
void op_judge_pair(OpJudge *judge, const OpPair *op, SlotPair *pair);

// Whether an argument of that op that the other side does not give says what its absence means.
bool op_judge_is_default(const Dump *dump, uint32_t op, const Slot *argument);

// The coarser of `run` and the types of an op's tensors: a float32 tensor that was computed from
// bfloat16 ones carries their noise.
Precision op_judge_precision(Precision run, const Flow *flow, const Op *op);

#endif
