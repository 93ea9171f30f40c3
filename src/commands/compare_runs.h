// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_RUNS_H
#define VERNIER_COMMANDS_COMPARE_RUNS_H

#include "commands/outputs.h"
#include "commands/runner.h"

// `vernier compare --runs DUMP...`: one set-up run many times, each run held against the most common
// one (docs/runs.md). Gives the exit code.
int compare_runs(const CommandCall *call);

#endif
