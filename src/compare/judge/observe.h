// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_OBSERVE_H
#define VERNIER_COMPARE_JUDGE_OBSERVE_H

#include "compare/judge/comparison.h"

// What the numbers of the first divergence say beyond that they differ: at most one remark, and
// never more certain than its evidence.

typedef enum ObservationKind {
    OBSERVE_NONE,
    OBSERVE_NONFINITE,    // NaN or Inf is born here: the inputs are finite or equal
    OBSERVE_ZERO,         // all zeros on one side
    OBSERVE_CONSTANT,     // one value everywhere on one side
    OBSERVE_FACTOR,       // all statistics by one factor
    OBSERVE_SIGN,         // the same with the opposite sign
    OBSERVE_ROUNDED,      // numbers of a coarser type than the dtype says
    OBSERVE_ARGUMENT,     // one argument differs, all else that goes in is equal
    OBSERVE_NOT_UPDATED,  // a weight is what it was a step before, golden's has moved
    OBSERVE_RANDOM,       // an op that draws random numbers, of equal inputs
    OBSERVE_ORDER,        // the same numbers in another order
    OBSERVE_BIAS,         // of a later step: the matrix of the op agrees
    OBSERVE_GRADIENT      // a gradient on one side only
} ObservationKind;

typedef struct Observation {
    ObservationKind kind;
    uint32_t slot;  // in Comparison.slots: what is remarked on
    double factor;  // OBSERVE_FACTOR: target / golden
    Str text;       // a sentence, translated
    Str look;       // what to look at next, where this says more than the kind; translated
} Observation;

// Looks at the deciding slot, or at the op's worst output where an argument decides. `world_size`
// is the number of ranks of the run, 0 if unknown: a factor equal to it is named. Linear in the
// slots of the op. The text lives in `arena`.
Observation observe_first(const Comparison *comparison, uint32_t world_size, Arena *arena);

// Whether a finite, non-zero number is one of bfloat16's (8 significant bits) or float16's (11, and
// its range).
bool is_bfloat16(double value);
bool is_float16(double value);

#endif
