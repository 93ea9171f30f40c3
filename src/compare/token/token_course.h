// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_TOKEN_TOKEN_COURSE_H
#define VERNIER_COMPARE_TOKEN_TOKEN_COURSE_H

#include "base/arena.h"
#include "compare/token/token_compare.h"

// Comparisons of log-probabilities over steps: whether engine and trainer part more and more.

typedef struct TokenStep {
    int64_t step;
    Str file;
    uint64_t tokens;
    double mean, factor;  // of TokenComparison; NaN: no token is counted
    TokenOutcome outcome;
} TokenStep;

typedef struct TokenCourse {
    TokenStep *items;  // by step
    size_t count, capacity;
    size_t from;    // the first step of the drift; count: there is none
    size_t begun;   // steps of the beginning, which the others are compared with
    double before;  // median of their mean |Δ|
    double after;   // the same of the steps of the drift
} TokenCourse;

// Fills what comes after the items. A step drifts where it and all later ones lie above twice the
// median of the beginning, the first third, and six times its scatter above it; fewer than six
// steps tell no drift.
void token_course_judge(TokenCourse *out, Arena *arena);

#endif
