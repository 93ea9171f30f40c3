// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_TOKEN_VERDICT_H
#define VERNIER_VERDICT_TOKEN_VERDICT_H

#include "base/notice.h"
#include "compare/token/token_course.h"
#include "scene/report.h"

// What `vernier tokens` says.

typedef struct TokenView {
    const TokenComparison *comparison;
    const TokenCourse *course;  // of folders, else NULL; `comparison` is of `step` then
    int64_t step;
    Str golden_path, target_path;
    const char *version;
    Verdict verdict;
    const Notices *notices;
} TokenView;

// The sample whose mean |Δ| is largest, where it is TOKEN_FAR times that of the median sample or
// more, of at least TOKEN_FAR_SAMPLES; else NULL. `times`: how many times.
enum { TOKEN_FAR = 10, TOKEN_FAR_SAMPLES = 4 };
const TokenPair *token_far_sample(const TokenComparison *of, double *times);

const char *token_cause_word(TokenCause cause);  // of summary.json: "temperature"; "none"

// `course`: of the steps of which `of` is one, or NULL.
void token_verdict(const TokenComparison *of, const TokenCourse *course, int64_t step, bool partial,
                   Arena *arena, Verdict *out);

#endif
