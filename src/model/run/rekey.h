// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RUN_REKEY_H
#define VERNIER_MODEL_RUN_REKEY_H

#include "model/run/series.h"

// Another x for the series of a run (docs/spec/curves.md §4.7), and a choice of steps.

typedef enum XUnit { X_STEP, X_SAMPLES, X_TOKENS, X_UPDATES } XUnit;

// Replaces x: samples and tokens as the log counts them (else step x batch size, and samples x
// sequence length), updates = steps less the skipped ones. Points whose step has no such number are
// left out. False, with the run unchanged, if the run does not tell: then runs cannot be joined
// over it.
bool rekey_run(Run *run, XUnit unit, Arena *arena);

// What runs are to be joined over of which one has records without a step: samples or tokens where
// all of them count these, and more of the counts are equal than stand at the same number; else
// X_STEP.
XUnit runs_unit(const Runs *runs);

// Keeps first <= x <= last in all series and events.
void clip_run(Run *run, int64_t first, int64_t last, Arena *arena);

#endif
