// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_COURSE_VERDICT_H
#define VERNIER_VERDICT_COURSE_VERDICT_H

#include "scene/report.h"
#include "trend/curves/judge_curves.h"

// Word, joint, place and style for one run without a golden one, by the gravest of what was found
// in it: a value that is no number, an abort, spikes, skipped steps, none of these. False, and
// nothing written, where nothing can be said: no loss, one of under 100 points, or
// one that ends above its beginning.
bool course_verdict(const CurveFindings *report, Arena *arena, Verdict *out);

#endif
