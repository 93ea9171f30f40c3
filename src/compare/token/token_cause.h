// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_CAUSE_H
#define VERNIER_COMPARE_TOKEN_TOKEN_CAUSE_H

#include "compare/token/token_comparison.h"

// What would explain the difference: fills out->explanation from the sums of the comparison.
void token_explain(TokenComparison *out);

#endif
