// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_CHECKLIST_REPORT_H
#define VERNIER_LAYOUT_CHECKLIST_REPORT_H

#include "compare/checklist.h"
#include "layout/summary.h"

// The verdict of `vernier checklist`, its summary.json (schema "vernier.checklist/1", design.md §3),
// its tables and its page: differences first, advice next, each with its reason.

typedef struct ChecklistView {
    const Checklist *list;
    Str golden_path, target_path;
    const char *version;
    Verdict verdict;
    const Notices *notices;
    const Scene *picture;  // of the page, or NULL
} ChecklistView;

void checklist_verdict(const Checklist *list, bool partial, Arena *arena, Verdict *out);
void checklist_summary_write(const ChecklistView *view, Sink *out);

typedef struct ChecklistTables {
    Table differs, advice, rows, open, others;
    TableRows store[5];
} ChecklistTables;
void checklist_tables(const ChecklistView *view, Arena *arena, ChecklistTables *out);

void checklist_report(const ChecklistView *view, ChecklistTables *tables, Arena *arena,
                      Report *out);

#endif
