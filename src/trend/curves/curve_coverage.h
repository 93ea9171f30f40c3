// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_CURVES_CURVE_COVERAGE_H
#define VERNIER_TREND_CURVES_CURVE_COVERAGE_H

#include "trend/curves/judge_curves.h"

// What a verdict on curves does not rest on: losses, steps, norms, evaluations and noise runs that
// were not compared, or differ beyond what decides.

typedef enum CoverageRule {
    COVERAGE_TARGET_WITHOUT_LOSS,
    COVERAGE_GOLDEN_WITHOUT_LOSS,
    COVERAGE_NO_COMMON_LOSS,
    COVERAGE_NO_LOSS,        // compared: `series` decides alone
    COVERAGE_NO_KNOWN_LOSS,  // the same of a series that may be the loss
    COVERAGE_NOISE_UNSURE,   // ends beyond the tolerance, the noise runs are too few
    COVERAGE_BOTH_NAN,       // at `count` steps, first `step`
    COVERAGE_ALL_NAN,        // all `count` values
    COVERAGE_HOLES,          // compared at `count` of `of` steps, the first hole is after `step`
    COVERAGE_ENDS_EARLY,     // the same up to `step`
    COVERAGE_OTHER_STEPS,    // the same: each prints its own steps
    COVERAGE_ENDS_BEFORE,    // at `step` in one run, at `other` in the other
    COVERAGE_STARTS_LATE,    // the same of the first step
    COVERAGE_MISSING,        // at `count` steps, first `step`
    COVERAGE_END_DIFFERS,    // by `first`, a share of `second`, over the last `count` steps
    COVERAGE_DIFFERS,        // by `first` on average, at most by `second` at `step`
    COVERAGE_EVENT,          // kind `event` at `count` steps, `of` in golden
    COVERAGE_NOISE_OTHER,    // a noise run that ends `first` of golden's level off
    COVERAGE_NOISE_NOT_FINITE,
    COVERAGE_NOISE_SHORTER,    // `count` of `of` steps, others have more
    COVERAGE_NOISE_FEW_STEPS,  // of `of`
    COVERAGE_NOISE_UNCOVERED,  // steps that no noise run has: `count`
    COVERAGE_ONE_RUN_ONLY,     // of a rank
    COVERAGE_RULE_COUNT
} CoverageRule;

typedef enum CoverageGrade { COVERAGE_TOLD, COVERAGE_UNMET, COVERAGE_PARTIAL } CoverageGrade;

typedef struct CoverageNote {
    CoverageRule rule;
    CoverageGrade grade;  // PARTIAL: it may hide a difference
    const char *file;
    Str series;
    EventKind event;
    size_t count, of;
    int64_t step, other;
    double first, second;
} CoverageNote;

typedef struct CoverageNotes {
    CoverageNote *items;
    size_t count, capacity;
} CoverageNotes;

// `loss_chosen`: the user said which loss is judged, and knows of others.
void curve_coverage_find(const CurveFindings *report, bool loss_chosen, Arena *arena,
                         CoverageNotes *out);

#endif
