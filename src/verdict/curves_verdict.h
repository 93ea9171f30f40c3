// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_CURVES_VERDICT_H
#define VERNIER_VERDICT_CURVES_VERDICT_H

#include "scene/report.h"
#include "trend/curves/judge_curves.h"

// What `vernier curves` says.

// "skipped", "restart", … translated.
const char *curves_event_word(EventKind kind);

// What one comparison comes to.
void curves_verdict_of(const CurveFindings *report, const CurveComparison *comparison, Arena *arena,
                       Verdict *out);

void curves_verdict(const CurveFindings *report, bool partial, Arena *arena, Verdict *out);

#endif
