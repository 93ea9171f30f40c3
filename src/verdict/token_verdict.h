// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_TOKEN_VERDICT_H
#define VERNIER_VERDICT_TOKEN_VERDICT_H

#include "base/notice.h"
#include "compare/token/token_comparison.h"
#include "scene/report.h"

// What `vernier tokens` says.

typedef struct TokenView {
    const TokenComparison *comparison;
    Str golden_path, target_path;
    const char *version;
    Verdict verdict;
    const Notices *notices;
} TokenView;

const char *token_cause_word(TokenCause cause);  // of summary.json: "temperature"; "none"

void token_verdict(const TokenComparison *of, bool partial, Arena *arena, Verdict *out);

#endif
