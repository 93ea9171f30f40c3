// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_ADVISE_SUMMARY_H
#define VERNIER_LAYOUT_ADVISE_SUMMARY_H

#include "base/sink.h"
#include "layout/summary.h"
#include "trend/health.h"
#include "trend/skip.h"

// The verdict of `vernier advise`, its summary.json (schema "vernier.advise/1", design.md §3) and the
// YAML to paste.

typedef struct SkipView {
    const Run *run;
    SkipAdvice advice;
    SkipResult result;  // of the values given, else of the suggested ones
    bool given;         // a threshold was given
    int64_t *recorded;  // steps that the run itself skipped
    size_t recorded_count;
} SkipView;

void skip_verdict(const SkipView *view, bool partial, Arena *arena, Verdict *out);
void health_verdict(const HealthReport *report, bool partial, Arena *arena, Verdict *out);

Str skip_yaml(const SkipResult *result, Arena *arena);
Str health_yaml(double threshold, Arena *arena);

// Either `skip` or `health` is NULL.
typedef struct AdviseSummary {
    const char *version;
    const SkipView *skip;
    const HealthReport *health;
    const Verdict *verdict;
    const Notices *notices;
} AdviseSummary;
void advise_summary_write(const AdviseSummary *summary, Sink *out);

#endif
