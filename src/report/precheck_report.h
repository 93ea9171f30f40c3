// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_PRECHECK_REPORT_H
#define VERNIER_REPORT_PRECHECK_REPORT_H

#include "verdict/precheck_verdict.h"

// The page of `vernier precheck`, and its table: an API and direction a row, the worst first.
Table *precheck_table(const Precheck *of, Arena *arena);
void precheck_report(const PrecheckView *view, Table *table, const Scene *picture, Arena *arena,
                     Report *out);

#endif
