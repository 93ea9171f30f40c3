// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_CURVES_COVERAGE_H
#define VERNIER_VERDICT_CURVES_COVERAGE_H

#include "base/notice.h"
#include "trend/curves/judge_curves.h"

// Adds a notice for each part that a verdict on curves does not rest on; what may hide a difference
// makes the result partial. Before the verdict. `loss_chosen`: the user said which one is judged.
void curves_coverage_tell(const CurveFindings *report, bool loss_chosen, Arena *arena,
                          Notices *notices);

#endif
