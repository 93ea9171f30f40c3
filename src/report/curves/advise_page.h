// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_CURVES_ADVISE_PAGE_H
#define VERNIER_REPORT_CURVES_ADVISE_PAGE_H

#include "verdict/advise_verdict.h"

// The reports of `vernier advise`: verdict, picture, tables, and the YAML to paste.

// Thresholds against counts: steps skipped, longest row, spikes caught, or where the run would end.
Table *skip_table(const SkipView *view, Arena *arena);

// Every checkpoint with its health in words, its embedding norm and the rank that spoke against it.
Table *health_table(const HealthFindings *report, Arena *arena);

// `picture` without its verdict; `notices` become the last table.
void skip_page_build(const SkipView *view, const Verdict *verdict, const Scene *picture,
                     const Notices *notices, Arena *arena, Report *out);
void health_page_build(const HealthFindings *health, const Verdict *verdict, const Scene *picture,
                       const Notices *notices, Arena *arena, Report *out);

#endif
