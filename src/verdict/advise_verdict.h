// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_ADVISE_VERDICT_H
#define VERNIER_VERDICT_ADVISE_VERDICT_H

#include "scene/report.h"
#include "trend/curves/checkpoint_health.h"
#include "trend/curves/skip.h"

// What `vernier advise` says, and the YAML to paste.

typedef struct SkipView {
    const Run *run;
    SkipAdvice advice;
    SkipResult result;  // of the values given, else of the suggested ones
    bool given;         // a threshold was given
    int64_t *recorded;  // steps that the run itself skipped
    size_t recorded_count;
} SkipView;

void skip_verdict(const SkipView *view, bool partial, Arena *arena, Verdict *out);
void health_verdict(const HealthFindings *report, bool partial, Arena *arena, Verdict *out);

// Lines for the configuration of MindFormers.
Str skip_yaml(const SkipResult *result, Arena *arena);
Str health_yaml(double threshold, Arena *arena);

#endif
