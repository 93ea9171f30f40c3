// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_CURVES_COVERAGE_H
#define VERNIER_VERDICT_CURVES_COVERAGE_H

#include "base/notice.h"
#include "trend/curves/judge_curves.h"

// What a verdict on curves does not rest on: losses, steps, norms, evaluations and noise runs that
// were not compared, or beyond what the noise tells.

typedef struct CurvesCoverage {
    const CurveFindings *findings;
    const Runs *runs;
    const CurveLimits *limits;
    bool loss_chosen;  // the user said which one is judged
    Arena *arena;      // of texts
    Notices *notices;
} CurvesCoverage;

// Adds a notice for each; what hides a difference makes the result partial. Before the verdict.
void curves_coverage_tell(const CurvesCoverage *about);

#endif
