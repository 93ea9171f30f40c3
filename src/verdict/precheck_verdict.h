// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_PRECHECK_VERDICT_H
#define VERNIER_VERDICT_PRECHECK_VERDICT_H

#include "base/notice.h"
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

void precheck_verdict(const Precheck *of, bool partial, Arena *arena, Verdict *out);

#endif
