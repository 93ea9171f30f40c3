// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_INVARIANT_WEIGHT_CHANGE_H
#define VERNIER_COMPARE_INVARIANT_WEIGHT_CHANGE_H

#include "compare/invariant/law.h"

// Whether a weight moved between two dumps of a rank, and whether it should have.

typedef struct WeightChange {
    const ParameterSeen *after;
    bool changed;
} WeightChange;

// False where a weight that stays as it is would not be told from one that moves: float32 alone
// tells small steps, of checkpoints every float of many elements.
bool weight_change(const ParameterSeen *it, const RankWitness *later, WeightChange *out);

// Whether any but a statistic is known to have moved, in any dtype.
bool weight_any_moved(const RankWitness *rank, const RankWitness *later);

// The gradient against the weight; NaN where there is no gradient that should move it.
double weight_push(const ParameterSeen *it);

// What moved between two dumps of a rank.
typedef struct WeightMoves {
    double push;  // from which on a weight moves for sure; NaN: none moved
    double went;  // how far an end of one went at most, Max or Min
} WeightMoves;

// From the dump at `rank` to that at `later`, both places in Evidence.ranks.
void weight_moves(const Evidence *of, size_t rank, size_t later, WeightMoves *out);

// Whether a step as long as that of others shows in the weight at all: an Adam moves large elements
// no further than small ones, and below half a rounding step of its dtype nothing is left of it.
bool weight_shows(const ParameterSeen *it, const WeightMoves *moves);

// Whether it moves for sure: its push is that of others that moved, and it shows.
bool weight_sure(const ParameterSeen *it, const WeightMoves *moves);

// How many steps in a row no weight moved although gradients came, from that of `rank` to the last.
// A first step may have the learning rate 0.
enum { WEIGHT_STILL_STEPS = 2 };
size_t weight_still_steps(const Evidence *of, size_t rank);

// Whether all statistics of it became greater or smaller by one factor, as decay alone does it.
bool weight_is_scaled(const TensorSeen *a, const TensorSeen *b);

// Of Adam a step is at most (1 - beta1) / sqrt(1 - beta2) times the rate, with beta 0.9 and 0.999
// (Kingma, Ba: Adam, section 2.1), and is about the rate as a rule.
#define ADAM_REACH 3.17

// Half the distance of two numbers of its dtype, relative to them.
double weight_unit(const TensorSeen *seen);

#endif
