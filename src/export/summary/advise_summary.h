// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_SUMMARY_ADVISE_SUMMARY_H
#define VERNIER_EXPORT_SUMMARY_ADVISE_SUMMARY_H

#include "base/sink.h"
#include "verdict/advise_verdict.h"

// summary.json of `vernier advise`, schema "vernier.advise/1" (docs/spec/output.md §2).

// Either `skip` or `health` is NULL.
typedef struct AdviseSummary {
    const char *version;
    const SkipView *skip;
    const HealthFindings *health;
    const Verdict *verdict;
    const Notices *notices;
} AdviseSummary;
void advise_summary_write(const void *summary, Sink *out);

#endif
