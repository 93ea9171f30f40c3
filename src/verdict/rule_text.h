// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RULE_TEXT_H
#define VERNIER_VERDICT_RULE_TEXT_H

#include "compare/judge/comparison.h"

// What a rule says of a slot or an op, in words and figures.

// Of a pair of slots: "the dtypes differ", or of an excuse its rule, what that means and the value
// that vouches: "inherited: off by no more than what the op was given (input.0 differs by
// 2.9e-05)". Nothing where no rule decided. `out` is emptied first.
Str rule_text_of_slot(const Comparison *comparison, const SlotPair *pair, StrBuf *out);

// Adds the value that vouches for a pair which a rule excuses: "input.0 differs by 2.9e-05"; false:
// none does.
bool rule_text_given(const Comparison *comparison, const SlotPair *pair, StrBuf *out);

// Of an op on one side only that is no divergence: "list: a side holds no call of …"; else nothing.
Str rule_text_of_op(const OpPair *op, StrBuf *out);

#endif
