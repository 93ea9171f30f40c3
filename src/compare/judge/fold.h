// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_FOLD_H
#define VERNIER_COMPARE_JUDGE_FOLD_H

#include "compare/judge/comparison.h"

// What rules find becomes a status here, and nowhere else.

// What judging by numbers gives a pair of slots.
void fold_judged(SlotPair *pair, Status status, Reason reason, Metric metric);

// Gives a pair of slots what a rule of the scope RULE_EXCUSES says of it: passes, is the same, or
// cannot be compared. False, and nothing changes, where the rule is off.
bool fold_excuse(const Comparison *comparison, SlotPair *pair, Reason rule);

// The value that vouches for an excused pair, in `given` of comparison->slots, is off by `error`;
// SLOT_NONE: several together.
void fold_given(Comparison *comparison, const SlotPair *pair, uint32_t given, double error);

// A pair of slots is beyond what it may be, whatever its floor says.
void fold_accuse(SlotPair *pair, Status status, Reason reason);

// An op that one side alone holds: no divergence by that rule. False where the rule is off.
bool fold_settle(const Comparison *comparison, OpPair *op, Rule rule, Absence absence);

// An op that one side alone holds: a divergence, or nothing is known of it.
void fold_alone(OpPair *op, bool known);

// The statuses and errors of an op from those of its slots.
void fold_op(Comparison *comparison, OpPair *op);

#endif
