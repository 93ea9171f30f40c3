// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_DIVERGE_H
#define VERNIER_COMPARE_DIVERGE_H

#include "compare/judge/comparison.h"

// Finds the first op in execution order at which the two runs part (docs/spec/output.md §4) and
// says why. Needs ops and slots of the comparison; fills `first`.
void diverge_find(Comparison *comparison);

#endif
