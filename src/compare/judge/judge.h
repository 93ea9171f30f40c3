// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_JUDGE_H
#define VERNIER_COMPARE_JUDGE_JUDGE_H

#include "compare/judge/amplify.h"
#include "compare/judge/comparison.h"
#include "compare/judge/floor.h"
#include "compare/judge/noise.h"
#include "read/settings/criteria_file.h"

// The status of one pair of slots under the rules `vernier`. Judging knows no colour and no order
// of execution.

// A difference up to the floor passes; up to WARNING_RATIO floors it is a warning, above an error.
#define JUDGE_WARNING_RATIO 10.0

// So many ops in a row whose results are equal to the bit show that both runs round in the same
// way.
enum { ROUNDS_ALIKE = 16 };

typedef struct JudgeContext {
    const Dump *golden, *target;
    RuleSet without;  // rules that are off
    CompareMode mode;
    bool weights_exact;        // weights of the two runs agree to the bit in general
    bool trained;              // a step before updated them: they carry the noise of its gradients
    Precision run;             // the coarsest type that either run has computed in so far
    Precision earlier;         // and before this op
    const Flow *const *flows;  // golden, target
    const NoiseFloor *noise;   // measured floors; NULL: the default ones
    const float *factors[2];   // golden, target: amplify_find, for the default floors
    const Criteria *criteria;  // tolerances of the user, or NULL
    const Recorded *recorded;  // golden, target: what their collections record
    Str op;                    // the op's name in the target, for the criteria
    bool one_rank;             // of merged ranks the op is that of one alone
    bool unsure;               // of merged ranks the op may be that of another expert
    bool later;                // computed at a step after others: see FLOOR_LATER
    bool weights_untold;       // and no dump tells whether weights moved apart
    bool communication;        // the op is a collective: its unset buffers are not compared
    // Everything before the op and its inputs are equal to the bit: its outputs can be off by its
    // own rounding alone. `run` is then its coarsest type, `…_own` what cancelled in it.
    bool first_change;
    double golden_own, target_own;
    bool rounds_alike;  // so much before was equal that the two runs round in the same way
    // By statistic: the largest relative difference of two tensors so far, as a tolerance of the
    // user is compared with it (docs/criteria.md); Inf: of no number. That of a norm that float16
    // lost is one of Max, which speaks for it.
    double *furthest;
} JudgeContext;

// `source` is the SourceKind of the golden slot. Fills everything of `out` but the slot numbers.
void judge_slots(const JudgeContext *context, const Slot *golden, const Slot *target, int source,
                 SlotPair *out);

// Whether two tensors or scalars can be equal, where one writer rounded its statistics and the
// other did not.
bool judge_agree_as_told(const JudgeContext *context, const Slot *golden, const Slot *target);

// Both sides tell the same number, as most do: asked before anything that costs more.
static inline bool judge_stat_equal(const Slot *golden, const Slot *target, int stat)
{
    return golden->tag[stat] == TAG_REAL && target->tag[stat] == TAG_REAL &&
           golden->stat[stat].real == target->stat[stat].real;
}

// msProbe's index of a node (spec: 0 fits, 1 does not) for a status of our rules: 0 up to pass, 0.5
// for a warning, 1 for an error; NaN where there was nothing to compare.
double status_precision_index(Status status);

#endif
