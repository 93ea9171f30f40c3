// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_COURSE_VERDICT_H
#define VERNIER_VERDICT_COURSE_VERDICT_H

#include "scene/report.h"
#include "trend/curves/judge_curves.h"

// What runs without a golden one come to: how the loss ends and what was counted in them; of one
// run alone its gravest finding leads: a value that is no number, an abort, a drift, spikes, skips.
void course_verdict(const CurveFindings *report, Arena *arena, Verdict *out);

// The series of a run: "loss, lr and 7 more".
Str series_names_text(const Run *run, Arena *arena);

#endif
