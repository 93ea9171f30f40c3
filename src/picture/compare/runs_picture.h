// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_COMPARE_RUNS_PICTURE_H
#define VERNIER_PICTURE_COMPARE_RUNS_PICTURE_H

#include "verdict/runs_verdict.h"

// Layers down, runs across: each cell what the run does in that layer, with disc 1 where it leaves
// the most common run first. Layers that are equal in all runs share a row. At most 60 rows and 64
// runs (then only runs that part); what is left out is said.
void runs_picture(const RunsView *report, Arena *arena, Scene *out);

#endif
