// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_LOCATE_VERDICT_H
#define VERNIER_VERDICT_LOCATE_VERDICT_H

#include "compare/nonfinite/locate.h"
#include "scene/report.h"

// What a search for NaN and Inf says.

typedef struct LocateView {
    const char *version;
    Str path;                  // of the dump, as given
    const Locate *result;      // of the first step with trouble, else of the first step
    size_t steps, steps_left;  // read; after the first bad one, not read
    size_t dumps;              // read
    uint64_t tensors, untold, unsure, healthy;  // over all steps read
    const Verdict *verdict;
    const Notices *notices;
} LocateView;

// view->verdict is not looked at.
void locate_verdict(const LocateView *view, bool partial, Arena *arena, Verdict *out);

// "inputs finite (max 8.9e+04), output.0 NaN": what is there and why it is the origin.
Str locate_reason(const Origin *origin, Arena *arena);

#endif
