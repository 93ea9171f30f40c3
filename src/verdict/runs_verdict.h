// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_VERDICT_RUNS_VERDICT_H
#define VERNIER_VERDICT_RUNS_VERDICT_H

#include "verdict/runs_view.h"

// What `vernier compare --runs` says: one configuration run many times, each run compared with the
// most common one.

// The worst of the runs; STATUS_NO_DATA where fewer than two were read or the dumps hold no op.
Status runs_status(const RunsView *report);
void runs_verdict(const RunsView *report, bool partial, Arena *arena, Verdict *out);

// Over the runs that could be read.
typedef struct RunsTally {
    size_t read, identical, parting;
    double largest;  // relative difference of a layer; NaN: none
    Status status;
} RunsTally;
RunsTally runs_tally(const RunsView *report);

#endif
