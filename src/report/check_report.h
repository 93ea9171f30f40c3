// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CHECK_REPORT_H
#define VERNIER_REPORT_CHECK_REPORT_H

#include "verdict/check_verdict.h"

// The tables of `vernier check` (invariants, evidence, ranks) and its page.

typedef struct CheckTables {
    Table *laws, *evidence, *ranks;
} CheckTables;

void check_tables(const CheckView *view, Arena *arena, CheckTables *out);
void check_report(const CheckView *view, CheckTables *tables, const Scene *picture, Arena *arena,
                  Report *out);

#endif
