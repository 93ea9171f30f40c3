// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_PRECHECK_VERDICT_H
#define VERNIER_VERDICT_PRECHECK_VERDICT_H

#include "base/notice.h"
#include "compare/judge/comparison.h"
#include "read/precheck/precheck_file.h"
#include "scene/report.h"

// What `vernier precheck` says.

typedef struct PrecheckView {
    const Precheck *precheck;
    Str files;  // as named, joined by " · "
    const char *version;
    Verdict verdict;
    const Notices *notices;
} PrecheckView;

Status precheck_status(PrecheckStatus status);

// "Functional.linear.8.forward"
Str precheck_name(const PrecheckFinding *of, Arena *arena);

// "cosine similarity: 0.71", the message where no figure is known, or empty.
Str precheck_reason(const PrecheckFinding *of, Arena *arena);

void precheck_verdict(const Precheck *of, bool partial, Arena *arena, Verdict *out);

#endif
