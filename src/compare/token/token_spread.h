// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_SPREAD_H
#define VERNIER_COMPARE_TOKEN_TOKEN_SPREAD_H

#include "compare/token/token_comparison.h"

// Where both sides tell what else a token could have been (logits, candidates): out->spreads, and
// where a pair parts by them.
void token_spread_compare(TokenComparison *out);

// One of golden's ten most probable tokens is further off than rounding explains.
bool token_spread_differs(const TokenComparison *of);

#endif
