// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_STEP_BEFORE_H
#define VERNIER_COMPARE_STEP_BEFORE_H

#include "compare/judge/comparison.h"

// What the step before tells that this step alone does not: which weights were not updated, which
// moved by noise alone.

// Whether a slot may be one of them: then the step before is worth reading.
bool step_before_asked(const Comparison *comparison);

// Judges such slots by it and sums up their ops anew. `before`: golden and target of that step.
void step_before_judge(Comparison *comparison, const Graph *const before[2]);

#endif
