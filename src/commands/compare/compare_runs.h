// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_RUNS_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_RUNS_H

#include "commands/machinery/runner.h"

// `vernier compare --runs DUMP...`: one configuration run many times, each run compared with the
// most common one (docs/runs.md).
bool compare_runs(const CommandCall *call, Product *out);

#endif
