// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_CHECKLIST_VERDICT_H
#define VERNIER_VERDICT_CHECKLIST_VERDICT_H

#include "base/notice.h"
#include "compare/checklist/checklist.h"
#include "scene/report.h"

// What `vernier checklist` says.

typedef struct ChecklistView {
    const Checklist *list;
    Str golden_path, target_path;
    const char *version;
    Verdict verdict;
    const Notices *notices;
    const Scene *picture;  // of the page, or NULL
} ChecklistView;

void checklist_verdict(const Checklist *list, bool partial, Arena *arena, Verdict *out);

// A setting that must agree and does not.
bool checklist_mismatch(const CheckResult *row);

// What the checklist advises: "a multiple of 16"; empty without advice.
Str checklist_advised(const CheckRow *row, Arena *arena);

#endif
