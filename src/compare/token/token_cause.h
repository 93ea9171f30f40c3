// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_CAUSE_H
#define VERNIER_COMPARE_TOKEN_TOKEN_CAUSE_H

#include "compare/token/token_comparison.h"

// What would explain the difference: fills out->explanation from the sums of the comparison.
void token_explain(TokenComparison *out);

// The cause of one turn in every sample.
bool token_is_turn(const TokenComparison *of, TokenExplanation *out);

// Whether tokens with |Δ| of at least `limit` stand together in their samples, as they do not where
// each token is routed by itself; then their cause.
bool token_is_stretch(const TokenComparison *of, double limit, TokenExplanation *out);

#endif
