// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_VALUE_ACCOUNT_H
#define VERNIER_COMPARE_VALUE_ACCOUNT_H

#include "base/account.h"
#include "compare/judge/comparison.h"

// What became of every slot of the two dumps of a finished comparison: it was compared (with its
// partner, or as one that is missing on the other side), or set aside for a reason. Adds to
// `account` in which the readers counted the slots. Linear in slots.
void value_account_add(const Comparison *comparison, Account *account);

#endif
