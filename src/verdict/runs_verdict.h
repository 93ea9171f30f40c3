// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RUNS_VERDICT_H
#define VERNIER_VERDICT_RUNS_VERDICT_H

#include "verdict/runs_view.h"

// What `vernier compare --runs` says: one set-up run many times, each run held against the most
// common one.

Status runs_status(const RunsView *report);
void runs_verdict(const RunsView *report, bool partial, Arena *arena, Verdict *out);

typedef struct RunsTally {
    size_t read, identical, parting;
    double largest;
    Status status;
} RunsTally;
RunsTally runs_tally(const RunsView *report);

#endif
