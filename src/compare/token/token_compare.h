// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_COMPARE_H
#define VERNIER_COMPARE_TOKEN_TOKEN_COMPARE_H

#include "base/account.h"
#include "base/arena.h"
#include "compare/token/token_comparison.h"

// Puts the samples of the target in the order of golden's, where each has an id of its own. False:
// both have ids, and these are not the same: samples pair by their place.
bool token_order_samples(const TokenSet *golden, TokenSet *target);

// Holds two sets of log-probabilities against each other. Linear in the tokens. `out` lives in
// `arena` and borrows the sets. `limit`: of TokenComparison.
void token_compare(const TokenSet *golden, int golden_column, const TokenSet *target,
                   int target_column, double limit, Arena *arena, TokenComparison *out);

// What became of the values of both sets, which their reader counted.
void token_account(const TokenComparison *of, Account *account);

TokenOutcome token_outcome(const TokenComparison *of);

#endif
