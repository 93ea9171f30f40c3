// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_ADVICE_H
#define VERNIER_VERDICT_ADVICE_H

#include "base/str.h"

// What to look at next, by the kind of the first divergence as summary.json spells it
// (docs/compare.md), translated; NULL for other words.
const char *advice_of(Str kind);

#endif
