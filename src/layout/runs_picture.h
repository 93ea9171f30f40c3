// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_LAYOUT_RUNS_PICTURE_H
#define VERNIER_LAYOUT_RUNS_PICTURE_H

#include "layout/runs_report.h"

// Layers down, runs across: each cell what the run does in that layer, with disc 1 where it leaves the
// most common run first. Layers that are equal in all runs share a row. At most 60 rows and 64 runs
// (then only runs that part); what is left out is said. `verdict` without a word: no head.
void layout_runs(const RunsReport *report, const Verdict *verdict, Arena *arena, Scene *out);

#endif
