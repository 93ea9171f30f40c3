// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CHECKLIST_REPORT_H
#define VERNIER_REPORT_CHECKLIST_REPORT_H

#include "verdict/checklist_verdict.h"

// The tables of `vernier checklist` and its page: differences first, advice next, each with its
// reason.

typedef struct ChecklistTables {
    Table *differs, *advice, *rows, *open, *others;
} ChecklistTables;
void checklist_tables(const ChecklistView *view, Arena *arena, ChecklistTables *out);

void checklist_report(const ChecklistView *view, ChecklistTables *tables, Arena *arena,
                      Report *out);

#endif
