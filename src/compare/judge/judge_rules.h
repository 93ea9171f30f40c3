// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_JUDGE_JUDGE_RULES_H
#define VERNIER_COMPARE_JUDGE_JUDGE_RULES_H

#include "compare/judge/comparison.h"

// What the rules `vernier` check, in words: for `vernier help rules` and the documentation. One
// entry a Reason; judge.c applies them.
typedef struct RuleInfo {
    Reason reason;
    const char *id;      // "NONFINITE"
    const char *levels;  // "error", "warning, error"
    const char *text;    // marked for tr
    const char *source;  // marked for tr
} RuleInfo;

extern const RuleInfo vernier_rules[];
extern const size_t vernier_rule_count;

#endif
